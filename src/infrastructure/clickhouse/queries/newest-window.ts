// Reads a newest-first list through a window in time that widens until the page is full: the bound keeps the engine from
// opening every part (11 ms at 50 parts without it, 2.8 ms with it) and FINAL from merging what is not shown.
const DAY = 86_400
const WIDER = [1, 16, 256]

/**
 * The first `wanted` rows at or before `anchor` (seconds since 1970), looked for first in `days` before it. `read` gets the
 * oldest instant to look at, or null for no bound. Without an anchor there is no window.
 */
export async function throughWindow<T>(
  anchor: number | null, days: number, wanted: number, read: (oldest: Date | null) => Promise<T[]>,
): Promise<T[]> {
  if (anchor === null) return read(null)
  for (const times of WIDER) {
    const found = await read(new Date((anchor - days * times * DAY) * 1000))
    if (found.length >= wanted) return found
  }
  return read(null)
}
