#!/bin/sh
# Compiles one service and the libraries that it stands on, and builds the files that the gateway and the dashboard serve:
# compile.sh <service>
set -eu
node_modules/.bin/tsc -b "apps/$1/tsconfig.lib.json"
node libs/browser-sdk/bundle.mjs
if [ "$1" = gateway ]; then node apps/gateway/build-api-page.mjs; fi
if [ "$1" = dashboard ]; then
  node_modules/.bin/tsc -b libs/contracts/tsconfig.lib.json
  node apps/dashboard/build-pages.mjs
fi
