#!/usr/bin/env bash
# Checks what docker/ and k8s/ hold, without Docker and without a cluster: `npm run manifests:check`.
set -euo pipefail
[ $# = 0 ] || { echo "Usage: npm run manifests:check" >&2 && [ "$*" = --help ] && exit 0 || exit 2; }
cd "$(dirname "$0")/../.."
. tools/manifests/tools.sh

echo "Tools"
get_tools
python=$cache/venv/bin/python
rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT

# render <name> <step> <values file> ...: the chart, into $rendered/<name>-<step>.yaml
render() {
  local name=$1 step=$2 file values=()
  shift 2
  for file in "$@"; do values+=(--values "$file"); done
  "$GOBIN/helm" template truetally k8s/chart --namespace truetally --kube-version "$KUBERNETES_VERSION" "${values[@]}" \
    --set "step=$step" 2>"$rendered/errors" >"$rendered/$name-$step.yaml" || { cat "$rendered/errors"; exit 1; }
}

# joined <file> ...: with commas
joined() (IFS=, && echo "$*")

echo "Dockerfile and Compose"
"$GOBIN/container-check" docker/Dockerfile docker/compose.yaml

echo "Alerts"
"$GOBIN/promtool" check rules docker/observability/alerts.yaml
"$GOBIN/promtool" check config --syntax-only docker/observability/prometheus.yaml
"$GOBIN/promtool" test rules docker/observability/*.test.yaml
# The infrastructure's are within an object of Kubernetes, and its test beside them.
"$python" tools/manifests/rules.py k8s/infrastructure/monitoring.yaml >"$rendered/infrastructure.yaml"
"$GOBIN/promtool" check rules "$rendered/infrastructure.yaml"
cp tools/manifests/infrastructure.test.yaml "$rendered/" && "$GOBIN/promtool" test rules "$rendered/infrastructure.test.yaml"

echo "Kubernetes"
values=k8s/chart/values
for step in prerequisites product all; do
  render production "$step" "$values-production.yaml"
  render alternatives "$step" "$values-production.yaml" tools/manifests/alternatives.yaml
  render local "$step" "$values-local.yaml"
done
"$python" tools/manifests/validate.py "$KUBERNETES_VERSION" "$crds" "$rendered"/*-all.yaml k8s/namespace.yaml \
  k8s/infrastructure/*.yaml k8s/local/*.yaml

# A number of a values file is a float64 to Helm, and no whole number when it is printed.
grep -qF 'KEY_USE_INTERVAL_MS, value: "3600000"' "$rendered/alternatives-product.yaml" ||
  { grep -F KEY_USE_INTERVAL_MS "$rendered/alternatives-product.yaml" && exit 1; }

# lines <pattern> <argument> ...: how many of the production example's product, with these arguments, match.
lines() {
  local pattern=$1
  shift
  "$GOBIN/helm" template truetally k8s/chart --kube-version "$KUBERNETES_VERSION" --values "$values-production.yaml" "$@" \
    >"$rendered/lines" || return
  grep -cE "$pattern" "$rendered/lines" || true
}
# A limit that is null is none, also where the defaults have one: Kubernetes would take a null for 0.
limit='^ +cpu: ("2"|null)$' none='resources.limits.cpu=null'
[ $(($(lines "$limit") - $(lines "$limit" --set "services.gateway.$none" --set "services.outbound.$none"))) = 2 ] ||
  { echo "Limits of processors cannot be taken away." && exit 1; }
user='runAsUser|runAsGroup|fsGroup'
[ "$(lines "$user" --set-json 'podSecurityContext={"runAsUser":null,"runAsGroup":null,"fsGroup":null}')" = 0 ] ||
  { echo "The platform cannot choose who runs in a pod." && exit 1; }

# Installations with a prefix share no group: neither ClickHouse's queues nor KEDA may follow the others'.
prefixed='(consumerGroup|topic): two\.|KAFKA_TOPIC_PREFIX, value: "two\.'
[ "$(lines "$prefixed" --set config.KAFKA_TOPIC_PREFIX=two. --set kafka.cluster=)" = 14 ] ||
  { echo "A migration or KEDA does not know the prefix of topics." && exit 1; }
[ "$(lines 'DATABASE_SCHEMA, value: "reports"' --set services.analytics.config.DATABASE_SCHEMA=reports)" = 2 ] ||
  { echo "A migration makes another schema than its service asks." && exit 1; }

# refuses <what> <command> ...: a check that finds nothing where something is wrong proves nothing.
refuses() {
  local what=$1
  shift
  ! "$@" >/dev/null || { echo "$what is not refused." && exit 1; }
}

echo "Values that cannot be"
# refused <words of the answer> <argument> ...: what the chart says of the production example with these arguments.
refused() {
  local words=$1 step
  shift
  for step in prerequisites product all; do
    ! "$GOBIN/helm" template truetally k8s/chart --kube-version "$KUBERNETES_VERSION" --values "$values-production.yaml" \
      --set "step=$step" "$@" >/dev/null 2>"$rendered/errors" || { echo "$* is not refused in the step $step." && exit 1; }
    grep -qF -- "$words" "$rendered/errors" || { cat "$rendered/errors" && exit 1; }
  done
}
for port in 80 8080 9090; do refused "gateway.adminPort must not be $port" --set "gateway.adminPort=$port"; done
refused "services.gateway.replicas.max is 2 and must not be less than its min, 3" --set services.gateway.replicas.max=2
refused "services.outbound.replicas.max is 8" --set services.outbound.replicas.min=9
refused "services.gateway.resources.limits.memory is 512Mi" --set services.gateway.resources.limits.memory=512Mi
refused "services.outbound.resources.limits.memory is 256Mi" --set services.outbound.resources.limits.memory=256Mi
refused "what it may need, 1648Mi" --set services.ingestion.config.DEDUPLICATION_FILTER_MIB=1024
refused "httpRoute.parentRefs must name a Gateway" --set-json 'httpRoute.parentRefs=[]'
refused "networkPolicies.proxies must name" --set-json 'networkPolicies.proxies=[]'
for peers in kafka postgres prometheus; do
  refused "networkPolicies.$peers must not be empty" --set-json "networkPolicies.$peers=[]"
done
refused "kafka.cluster must be empty" --set config.KAFKA_TOPIC_PREFIX=two.
refused "kafka.cluster must be empty" --set services.analytics.config.KAFKA_TOPIC_PREFIX=two.
refused "clickhouse.inCluster must name" --set clickhouse.enabled=true
# What a process would refuse at its start, or misunderstand.
for setting in DATABASE_CONNECTIONS=abc DEDUPLICATION_FILTER_MIB=abc DEDUPLICATION_FILTER_MIB=0 DEDUPLICATION_WINDOW_DAYS=5 \
  EVENT_PARTITION_SECONDS=86401 EVENT_RETENTION_DAYS=1.5 FEEDS_SYNC_INTERVAL_SECONDS=1 KAFKA_SASL_MECHANISM=GSSAPI \
  KAFKA_TOPIC_PARTITIONS=24 KEY_USE_INTERVAL_MS=10 LOG_LEVEL=verbose OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318 \
  OTEL_TRACES_SAMPLER=always OTEL_TRACES_SAMPLER_ARG=2 REPUBLISH_ON_START=yes SETTLEMENTS_PULL_INTERVAL_SECONDS=0; do
  refused "config/${setting%%=*}'" --set "services.ingestion.config.$setting"
done
refused "'HTTP_PORT'" --set config.HTTP_PORT=9000
refused "'OPERATIONS_PORT'" --set services.outbound.config.OPERATIONS_PORT=9000
refused "'KAFKA_BROKERS'" --set config.KAFKA_BROKERS=kafka:9092
refused "'KAFKA_TOPIC_PARTITONS'" --set config.KAFKA_TOPIC_PARTITONS=ingestion.track-event=24
refused "'WORKER_SECRT_FILE'" --set services.gateway.secrets.WORKER_SECRT_FILE=worker-secret
refused "/externalSecrets/store/name" --set externalSecrets.store.name=

echo "What each step needs"
page=docs/operations/secrets.md
infrastructure=$(joined k8s/infrastructure/*.yaml)
for name in production alternatives local; do
  servers=$infrastructure
  [ "$name" != local ] || servers=$(joined k8s/local/*.yaml)
  prerequisites=$rendered/$name-prerequisites.yaml
  "$python" tools/manifests/order.py "$page" "servers=$servers" "prerequisites=$prerequisites" \
    "product=$rendered/$name-product.yaml"
  "$python" tools/manifests/order.py "$page" "servers=$servers" "waves=$rendered/$name-all.yaml"
done

# The queries by which KEDA scales the example.
"$python" tools/manifests/rules.py "$rendered/production-product.yaml" >"$rendered/scalers.yaml"
cp tools/manifests/scalers.test.yaml "$rendered/" && "$GOBIN/promtool" test rules "$rendered/scalers.test.yaml"

refuses "The product before its prerequisites" "$python" tools/manifests/order.py "$page" "servers=$infrastructure" \
  "product=$rendered/production-product.yaml" "prerequisites=$rendered/production-prerequisites.yaml"
refuses "A product without servers" "$python" tools/manifests/order.py "$page" \
  "prerequisites=$rendered/production-prerequisites.yaml" "product=$rendered/production-product.yaml"

echo "Accounts"
# Those of the example that have the object store's role: whoever calls addresses of merchants is not among them.
holders=$("$python" -c '
import sys, yaml
for document in yaml.safe_load_all(sys.stdin):
    if document and document["kind"] == "ServiceAccount" and "eks.amazonaws.com/role-arn" in document["metadata"]["annotations"]:
        print(document["metadata"]["name"])' <"$rendered/alternatives-prerequisites.yaml" | sort)
[ "$(joined $holders)" = gateway,management,publisher-analytics ] || { echo "The role is held by: $holders" && exit 1; }

echo "Connections"
"$python" tools/manifests/flows.py k8s/flows.yaml production "$rendered/production-all.yaml" k8s/infrastructure/*.yaml
"$python" tools/manifests/flows.py k8s/flows.yaml alternatives "$rendered/alternatives-all.yaml" k8s/infrastructure/*.yaml
"$python" tools/manifests/flows.py k8s/flows.yaml local "$rendered/local-all.yaml" k8s/local/*.yaml

refuses "A namespace that denies everything" "$python" tools/manifests/flows.py k8s/flows.yaml production \
  "$rendered/production-all.yaml" k8s/infrastructure/*.yaml tools/manifests/deny-all.yaml
refuses "A product without policies" "$python" tools/manifests/flows.py k8s/flows.yaml production \
  "$rendered/production-product.yaml" k8s/infrastructure/*.yaml

# Images are pinned, so that they need not be pulled each time; how many replicas of a worker there are is KEDA's part,
# which kube-score does not know.
"$GOBIN/kube-score" score --output-format ci --ignore-test container-image-pull-policy --ignore-test deployment-replicas \
  --kubernetes-version v1.34 "$rendered"/{production,alternatives}-all.yaml |
  { grep -E '^\[(CRITICAL|WARNING)\]' && exit 1 || true; }
echo "All manifests hold."
