#!/bin/sh
# Runs the built product and the unit tests with other versions of Node: npm run node-versions -- 22 24
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { echo 'Which versions of Node? For example: npm run node-versions -- 22 24' >&2; exit 2; }
npm run -s build

data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
for version in "$@"; do
  node=$(npx -y -p "node@$version" node -p process.execPath)
  export BATCHGATE_DATA_DIR="$data/$version"
  echo "Node $("$node" --version)"

  printf 'continue\ncontinue\ncontinue\ncontinue\ncontinue\n' | "$node" bin/batchgate.cjs demo > "$data/said"
  cat "$data/said"
  grep -q 'Completed! Processed 50/50 items\.' "$data/said"

  "$node" bin/batchgate.cjs doctor
  PATH="$(dirname "$node"):$PATH" npm run -s jest -- test/unit
done
