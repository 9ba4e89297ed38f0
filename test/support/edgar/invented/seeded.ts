// Chance that a seed decides, so that a failing run can be run again.

/** Numbers from 0 to below 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** 32 bits of all parts together (FNV-1a). */
export function hashOf(...parts: (string | number)[]): number {
  let hash = 0x811c9dc5
  for (const character of parts.join('\0')) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  return hash >>> 0
}

/** The same of 0 to below 1 for the same parts, whenever it is asked. */
export function shareOf(...parts: (string | number)[]): number {
  return seeded(hashOf(...parts))()
}
