// Converts decimals of ClickHouse to whole numbers, so that sums and comparisons are exact.

/** Returns a decimal in units of its last place. It must not be negative, nor have more than `places`. */
export function unitsOf(text: string, places: number): bigint {
  const point = text.indexOf('.')
  if (point < 0) return BigInt(text + '0'.repeat(places))
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(places, '0'))
}
