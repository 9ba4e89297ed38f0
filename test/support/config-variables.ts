// The names that src/config.ts reads, taken from its text.
import { readFileSync } from 'node:fs'

export const configVariables = (): string[] => namesBehind('read|readSecret|server|password')

/** Those that may be given by a file as well. */
export const secretVariables = (): string[] => namesBehind('readSecret|server|password')

function namesBehind(readers: string): string[] {
  const text = readFileSync(new URL('../../src/config.ts', import.meta.url), 'utf8')
  return [...text.matchAll(new RegExp(`\\b(?:${readers})(?:<[^>]*>)?\\('([A-Z_]+)'`, 'g'))].map(([, name]) => name!)
}
