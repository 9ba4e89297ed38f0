// Binary search in sorted lists.

/** Returns the index of the first element that is not before the place searched; the length of the list if all are. */
export function lowerBound<T>(sorted: readonly T[], isBefore: (element: T) => boolean): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(sorted[middle]!)) low = middle + 1
    else high = middle
  }
  return low
}
