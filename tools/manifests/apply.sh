#!/usr/bin/env bash
# Applies what k8s/ holds to a real API server, without a cluster: `npm run manifests:apply`.
# Building the control plane takes minutes the first time; Go keeps what it compiled.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/manifests/tools.sh

echo "Tools"
need_programs
(
  cd tools/manifests/control-plane
  go mod download || unavailable "the control plane"
  version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
  CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$version" \
    -o "$GOBIN/control-plane" .
)
get_definitions
build_targets

exec node tools/bootstrap.mjs manifests-apply "$GOBIN/control-plane" "$cache/crds" "$built"
