// Groups of items that are united pair by pair: a union-find structure.

export class Groups<Item> {
  readonly #compare: (a: Item, b: Item) => number
  /** Leads from each item to one of its group that comes before it. */
  readonly #leaders = new Map<Item, Item>()

  /** `compare` is a total order, so that the order of calls doesn't matter. */
  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare
  }

  /** Returns the first item of the group. Searching shortens the ways. */
  firstOf(item: Item): Item {
    let first = item
    for (let next = this.#leaders.get(first); next !== undefined; next = this.#leaders.get(first)) first = next
    for (let at = item; at !== first;) {
      const next = this.#leaders.get(at)!
      this.#leaders.set(at, first)
      at = next
    }
    return first
  }

  unite(one: Item, other: Item): void {
    const [a, b] = [this.firstOf(one), this.firstOf(other)]
    if (a === b) return
    if (this.#compare(a, b) < 0) this.#leaders.set(b, a)
    else this.#leaders.set(a, b)
  }
}
