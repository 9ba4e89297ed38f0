// Long work in JavaScript that lets requests be served in between.

/**
 * Yields the items. Before an item that would bring those since the last pause above `most`, by the weight of each,
 * everything that waits has its turn.
 */
export async function* pausing<T>(items: Iterable<T>, most: number, weight: (item: T) => number = () => 1) {
  let since = 0
  for (const item of items) {
    const more = weight(item)
    if (since > 0 && since + more > most) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      since = 0
    }
    since += more
    yield item
  }
}
