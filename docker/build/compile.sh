#!/bin/sh
# Compiles one service and the libraries that it stands on: compile.sh <service>
set -eu
node_modules/.bin/tsc -b "apps/$1/tsconfig.lib.json"
