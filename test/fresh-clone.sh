#!/usr/bin/env bash
# D06: what the README promises to somebody new. Clones the repository into a folder with a space in its name and runs
# the demo there, small, with a home that holds nothing yet; for root, a user without privileges does it.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
# Not TMPDIR: root's may be closed to others.
directory=$(mktemp -d /tmp/waybill-clone-XXXXXX)
trap 'rm -rf "$directory"' EXIT
mkdir "$directory/home" "$directory/tmp"

# The checkout may belong to another user than the one who runs CI.
printf '[safe]\n\tdirectory = *\n' >"$directory/gitconfig"
GIT_CONFIG_GLOBAL=$directory/gitconfig git clone --quiet --no-hardlinks "$source" "$directory/a clone"

as_newcomer=(env "HOME=$directory/home" "TMPDIR=$directory/tmp" "WAYBILL_DEMO_SCALE=${WAYBILL_DEMO_SCALE:-0.1}")
if [ "$(id -u)" -eq 0 ]; then
  chown -R 65534:65534 "$directory"
  as_newcomer=(setpriv --reuid=65534 --regid=65534 --clear-groups "${as_newcomer[@]}")
fi

cd "$directory/a clone"
pnpm=$(node -p 'require("./package.json").packageManager')
"${as_newcomer[@]}" npx -y "$pnpm" demo | tee -a /dev/stderr | node test/demo-result.mjs
