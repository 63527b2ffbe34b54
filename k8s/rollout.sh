#!/bin/sh
# Rolls an overlay out in its order: rollout.sh overlays/production
# The migrations first, and the services only when every one of them is done. Safe to run again.
set -eu
cd "$(dirname "$0")"
overlay=$1
kubectl delete job --namespace truetally --selector app.kubernetes.io/component=migration --ignore-not-found
kubectl apply -k "$overlay/migrations"
kubectl wait --namespace truetally --for=condition=complete --timeout=30m \
  job --selector app.kubernetes.io/component=migration
kubectl apply -k "$overlay"
for service in ingestion attribution-ledger experiments publisher-analytics management gateway; do
  kubectl rollout status --namespace truetally --timeout=10m "deployment/$service"
done
