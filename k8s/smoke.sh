#!/usr/bin/env bash
# Installs the product on a throw-away cluster of kind and asks it for an answer. Needs Docker, kind, kubectl, Helm 3 and
# Node. Nobody has run it yet: no machine of the project's has Docker.
set -euo pipefail
cd "$(dirname "$0")/.."

cluster=truetally-smoke
port=${SMOKE_PORT:-18080}
secrets=$(mktemp -d)
forward=
finish() {
  [ -z "$forward" ] || kill "$forward" 2>/dev/null || true
  kind delete cluster --name "$cluster"
  rm -rf "$secrets"
}
trap finish EXIT
kind create cluster --name "$cluster"
export HELM_NAMESPACE=truetally
kubectl config set-context --current --namespace truetally

version=$(sed -n 's/^appVersion: //p' k8s/chart/Chart.yaml)
for app in apps/*; do
  service=$(basename "$app")
  docker build -f docker/Dockerfile --build-arg "APP=$service" --build-arg "VERSION=$version" -t "truetally/$service:$version" .
  kind load docker-image --name "$cluster" "truetally/$service:$version"
done

kubectl apply -f k8s/namespace.yaml
node docker/compose/make-secrets.mjs "$secrets" --kubernetes | kubectl apply -f -
kubectl apply -f k8s/local
for server in kafka postgres seaweedfs; do kubectl rollout status --timeout=10m "statefulset/$server"; done
kubectl rollout status --timeout=10m deployment/dex
helm upgrade --install truetally-prerequisites k8s/chart -f k8s/chart/values-local.yaml --set step=prerequisites
# Twice: an upgrade runs the migrations again.
for _ in installation upgrade; do
  helm upgrade --install truetally k8s/chart -f k8s/chart/values-local.yaml --wait --timeout 30m
done

kubectl port-forward service/gateway "$port:80" &
forward=$!
# --retry-connrefused: the port opens a moment later.
health=$(curl --fail --silent --show-error --retry 30 --retry-delay 1 --retry-connrefused \
  -H "Authorization: Bearer $(<"$secrets/gateway/admin-secret")" "http://127.0.0.1:$port/api/admin/health")
echo "$health"
[[ "$health" == *'"status":"ok"'* ]] || { echo "A dependency does not answer." && exit 1; }
echo "Installed, upgraded, and all dependencies answer."
