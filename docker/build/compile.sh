#!/bin/sh
# Compiles one service and the libraries that it stands on, and bundles the browser SDK: compile.sh <service>
set -eu
node_modules/.bin/tsc -b "apps/$1/tsconfig.lib.json"
# The gateway serves it.
node libs/browser-sdk/bundle.mjs
