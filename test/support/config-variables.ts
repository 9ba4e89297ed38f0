// The names that src/config.ts reads, taken from its text.
import { readFileSync } from 'node:fs'

export function configVariables(): string[] {
  const text = readFileSync(new URL('../../src/config.ts', import.meta.url), 'utf8')
  return [...text.matchAll(/\bread(?:<[^>]*>)?\('([A-Z_]+)'/g)].map(([, name]) => name!)
}
