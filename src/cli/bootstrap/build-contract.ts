// Writes openapi.yaml into a build as JSON, which the service reads at each start in 10 ms instead of 300. Run as a
// script with the folder `openapi/` of the build, after the installation; prepare.ts and the Dockerfile do.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

function buildContract(folder: string): void {
  // As many aliases as http/openapi/document.ts allows.
  const contract: unknown = parse(readFileSync(join(folder, 'openapi.yaml'), 'utf8'), { maxAliasCount: 1000 })
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(contract))
}

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: build-contract.ts FOLDER')
buildContract(folder)
