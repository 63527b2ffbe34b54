#!/usr/bin/env bash
# Whether images must be built to know that they still can be: ends with 0 when what decides it differs from what was
# built, and with 1 when it does not. `npm run images:check` assembles and runs every service in any case.
#
# changed.sh             asks: against main where a branch is checked out, or against what this machine has built
# changed.sh --remember  says that what is checked out was built
set -euo pipefail
cd "$(dirname "$0")/../.."

decides=(docker package-lock.json tools/bundle-services.mjs tools/images tools/src/images)
record=${XDG_CACHE_HOME:-$HOME/.cache}/truetally/images-built
state=$(for path in "${decides[@]}"; do git rev-parse "HEAD:$path"; done)

if [ "${1:-}" = --remember ]; then
  mkdir -p "$(dirname "$record")"
  echo "$state" >"$record"
  exit
fi
[ -z "${BUILD_IMAGES:-}" ] || exit 0
[ -z "$(git status --porcelain -- "${decides[@]}")" ] || exit 0
if [ -f "$record" ] && [ "$(<"$record")" = "$state" ]; then exit 1; fi
base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null) || exit 0
# On main itself nothing differs: its images were built on the branch, and are built again for a release.
if git diff --quiet "$base" HEAD -- "${decides[@]}"; then exit 1; fi
