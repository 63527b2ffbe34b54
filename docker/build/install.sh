#!/bin/sh
# Installs everything that the build needs, as the lockfile says. Install scripts run only where package.json allows them.
set -eu
npm ci --include=dev --no-audit --no-fund
