#!/usr/bin/env bash
# Says whether docs/openapi.json and docs/asyncapi.yaml break what the last release promised: `npm run contracts:check`.
# Needs Go; the differ comes from its registry, with the version below, and stays outside of the checkout.
set -euo pipefail
[ $# = 0 ] || { echo "Usage: npm run contracts:check" >&2 && [ "$*" = --help ] && exit 0 || exit 2; }
cd "$(dirname "$0")/../.."
. tools/unavailable.sh

OASDIFF=v1.37.0
export GOBIN=${XDG_CACHE_HOME:-$HOME/.cache}/truetally/oasdiff-$OASDIFF
command -v go >/dev/null || unavailable go
[ -x "$GOBIN/oasdiff" ] || nice go install "github.com/oasdiff/oasdiff@$OASDIFF" || unavailable oasdiff
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# is_compatible <before> <now>
is_compatible() {
  "$GOBIN/oasdiff" breaking --fail-on ERR --severity-levels tools/contracts/severities.txt "$1" "$2"
}

# facts <asyncapi.yaml> <into>: the same promises in the form that the differ reads
facts() { node tools/contracts/facts-as-answers.mjs "$1" >"$2"; }

facts docs/asyncapi.yaml "$work/asyncapi.json"
cp docs/openapi.json "$work/openapi.json"

# A check that finds nothing where something is broken proves nothing.
for change in $(node tools/contracts/break.mjs); do
  document=$work/${change%%:*}.json
  node tools/contracts/break.mjs "$change" "$document" >"$work/broken.json"
  ! is_compatible "$document" "$work/broken.json" >/dev/null || { echo "$change is not found." && exit 1; }
  echo "Found: $change"
done

release=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null) || { echo "No release to compare with." && exit 0; }
mkdir "$work/release"
git show "$release:docs/openapi.json" >"$work/release/openapi.json"
git show "$release:docs/asyncapi.yaml" >"$work/release/asyncapi.yaml"
facts "$work/release/asyncapi.yaml" "$work/release/asyncapi.json"
for document in openapi asyncapi; do
  is_compatible "$work/release/$document.json" "$work/$document.json" || { echo "docs/$document breaks $release." && exit 1; }
done
echo "Compatible with $release."
