// The pairing of PostgreSQL and ClickHouse by a common id. Each time an empty analytics store is to be filled the id is
// new, so a copy that was left behind, and lacks what came since, is recognized.

/** One of the two stores. */
export interface IdentifiedStore {
  /** Null if it was given none yet. */
  id(): Promise<string | null>
  isEmpty(): Promise<boolean>
  identify(id: string): Promise<void>
}

/**
 * `emptied`: the ledger has nothing, while the analytics store is full. `unrelated`: it was filled from another ledger.
 */
export type Pairing = 'paired' | 'emptied' | 'unrelated'

/**
 * Gives both stores an id if one has none yet and they don't conflict. `newId` returns an id that nothing else has.
 */
export async function pairStores(
  record: IdentifiedStore,
  analytics: IdentifiedStore,
  newId: () => string,
): Promise<Pairing> {
  const [ours, theirs, isRecordEmpty] = [await record.id(), await analytics.id(), await record.isEmpty()]
  if (ours !== null && ours === theirs && !isRecordEmpty) return 'paired'
  if (await analytics.isEmpty()) {
    if (ours === null || ours !== theirs) await identifyBoth(record, analytics, newId())
    return 'paired'
  }
  if (isRecordEmpty) return 'emptied'
  if (theirs !== null) return 'unrelated'
  // Stores of a version without ids, or such a start that was cut short.
  await identifyBoth(record, analytics, ours ?? newId())
  return 'paired'
}

/** Gives both a new id if they differ: the analytics store was just filled from this ledger. */
export async function pairPopulated(
  record: IdentifiedStore,
  analytics: IdentifiedStore,
  newId: () => string,
): Promise<void> {
  const ours = await record.id()
  if (ours === null || ours !== (await analytics.id())) await identifyBoth(record, analytics, newId())
}

// The ledger first: interrupted, the analytics store has no id or one that fits nothing, and both cases are handled
// above.
async function identifyBoth(record: IdentifiedStore, analytics: IdentifiedStore, id: string): Promise<void> {
  await record.identify(id)
  await analytics.identify(id)
}
