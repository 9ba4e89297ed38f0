// Decimals of the engine as whole numbers, so that sums and comparisons are exact.

/** Returns a decimal of the engine, never negative and with at most `places`, in its smallest units. */
export function unitsOf(text: string, places: number): bigint {
  const point = text.indexOf('.')
  if (point < 0) return BigInt(text + '0'.repeat(places))
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(places, '0'))
}
