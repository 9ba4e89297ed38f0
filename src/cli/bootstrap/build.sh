#!/bin/sh
# Builds the checkout into a folder: the program, the files that it reads and those that it serves. prepare.ts and the
# Dockerfile run it after the installation.
#   build.sh FOLDER
set -eu
target=$1
node node_modules/typescript/bin/tsc -p src/tsconfig.json --outDir "$target/src"
find src -name '*.sql' | while read -r file; do
  mkdir -p "$target/$(dirname "$file")"
  cp "$file" "$target/$file"
done
cp -R openapi "$target/openapi"
# Only tests use these.
rm -rf "$target/openapi/released"
# Parsing the YAML at each start takes longer than the rest of the start.
node node_modules/yaml/bin.mjs --json --single --indent 0 <openapi/openapi.yaml >"$target/openapi/openapi.json"
node src/cli/bootstrap/build-web.ts "$target/web"
