// Ids of rules of alerts: not secret, but not to be guessed either.
import { base62 } from './api-key.ts'

/** Makes an id; `draw` returns that many random bytes. */
export const newRuleId = (draw: (count: number) => Uint8Array): string => `alr_${base62(20, draw)}`
