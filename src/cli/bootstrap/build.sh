#!/bin/sh
# Builds the checkout into a folder: the program, the files that it reads, and what readers fetch from the service. Run
# after the installation; prepare.ts and the Dockerfile do.
#   build.sh FOLDER
set -eu
target=$1
node node_modules/typescript/bin/tsc -p src/tsconfig.json --outDir "$target/src"
find src -name '*.sql' | while read -r file; do
  mkdir -p "$target/$(dirname "$file")"
  cp "$file" "$target/$file"
done
cp -R openapi "$target/openapi"
# Of the tests alone.
rm -rf "$target/openapi/released"
# Parsing the YAML at each start takes longer than the rest of the start.
node node_modules/yaml/bin.mjs --json --single --indent 0 <openapi/openapi.yaml >"$target/openapi/openapi.json"
node src/cli/bootstrap/build-web.ts "$target/web"
