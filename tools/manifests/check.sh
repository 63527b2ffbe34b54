#!/usr/bin/env bash
# Checks what docker/ and k8s/ hold, without Docker and without a cluster: `npm run manifests:check`.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/manifests/tools.sh

KUBE_SCORE=github.com/zegl/kube-score/cmd/kube-score@v1.20.0
KUBERNETES_VALIDATE=kubernetes-validate==1.37.0

echo "Tools"
need_programs
[ -x "$GOBIN/kube-score" ] || go install "$KUBE_SCORE" || unavailable kube-score
(cd tools/manifests && go build -o "$GOBIN/container-check" .) || unavailable container-check
install_python "$KUBERNETES_VALIDATE"
if [ ! -x "$cache/bin/promtool" ]; then
  (cd "$cache" && rm -f prometheus_*.deb && apt-get download --quiet prometheus >/dev/null 2>&1) || unavailable promtool
  dpkg -x "$cache"/prometheus_*.deb "$cache/prometheus"
  cp "$cache/prometheus/usr/bin/promtool" "$cache/bin/"
fi
get_definitions
build_targets

echo "Dockerfile and Compose"
"$GOBIN/container-check" docker/Dockerfile docker/compose.yaml

echo "Alerts"
"$GOBIN/promtool" check rules docker/observability/alerts.yaml
"$GOBIN/promtool" check config --syntax-only docker/observability/prometheus.yaml
"$GOBIN/promtool" test rules docker/observability/alerts.test.yaml

echo "Kubernetes manifests"
"$cache/venv/bin/python" tools/manifests/validate.py "$KUBERNETES_VERSION" "$cache/crds" "$built"/*.yaml
# Images are pinned, so that they need not be pulled each time; how many replicas of a worker there are is KEDA's part,
# which kube-score does not know.
"$GOBIN/kube-score" score --output-format ci --ignore-test container-image-pull-policy --ignore-test deployment-replicas \
  --kubernetes-version v1.34 "$built"/overlays-production.yaml "$built"/overlays-production-migrations.yaml |
  { grep -E '^\[(CRITICAL|WARNING)\]' && exit 1 || true; }
echo "All manifests hold."
