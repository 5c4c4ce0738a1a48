#!/usr/bin/env bash
# Installs what `pnpm test:servers` tests against: PostgreSQL 14, 16 and 17 from npm beside this file, and Debian's 15.
set -euo pipefail
cd "$(dirname "$0")"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
# The one script that they need restores the symbolic links between shared libraries, which npm tarballs cannot hold.
for server in node_modules/*/; do (cd "$server" && node scripts/hydrate-symlinks.js); done
[ -x /usr/lib/postgresql/15/bin/initdb ] && exit 0
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql-15 >/dev/null
