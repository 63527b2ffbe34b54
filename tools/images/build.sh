#!/usr/bin/env bash
# Builds docker/Dockerfile without an engine and runs what it builds: `npm run images:build [-- <service> ...]`, by
# default for every service. Needs root and Debian 12; docs/operations/images.md says what this shows and what not.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/../.."
. tools/unavailable.sh
. tools/images/tools.sh
. tools/images/bases.sh

[ "$*" != --help ] || { echo "Usage: npm run images:build [-- <service> ...]" && exit 0; }
services=("$@")
[ $# -gt 0 ] || mapfile -t services < <(ls apps)
for service in "${services[@]}"; do
  [ -d "apps/$service" ] || fail "There is no service $service."
done

open_work
echo "Tools"
need_tools
make_bases
import_base "$build_base" build
import_base "$runtime_base" runtime \
  --user 65532 --workingdir /home/nonroot --env SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
find_npm_configuration
try_build

mkdir "$work/source"
git archive HEAD | tar --extract --directory "$work/source" || unavailable "the commit that is checked out"
for service in "${services[@]}"; do
  echo "Image of $service"
  began=$SECONDS
  build_image "$service"
  echo "Built in $((SECONDS - began)) s."
  open_image "$service"
done

try_run
run node tools/bootstrap.mjs images-run "$work/images"
