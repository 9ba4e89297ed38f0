// Long work in JavaScript that lets requests be served in between.

let last: Promise<void> = Promise.resolve()

/**
 * Resolves once everything that waits has had its turn. Of several that wait for it at once, such as two rounds of
 * work, one continues in each turn of the event loop: an answer, which needs some six turns, waits for one of them each
 * time, not for all.
 */
export function turn(): Promise<void> {
  return (last = last.then(() => new Promise((resolve) => setImmediate(resolve))))
}

/**
 * Yields the items. Before an item that would bring those since the last turn above `most`, by the weight of each, it
 * waits for the next.
 */
export async function* pausing<T>(items: Iterable<T>, most: number, weight: (item: T) => number = () => 1) {
  let since = 0
  for (const item of items) {
    const more = weight(item)
    if (since > 0 && since + more > most) {
      await turn()
      since = 0
    }
    since += more
    yield item
  }
}
