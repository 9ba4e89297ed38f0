// The record and the analytics store know by a common id that they belong together. Each time an empty analytics store is to be
// filled it is a new id, so a copy that was left behind, and misses what came since, is known as such.

/** One of the two stores. */
export interface IdentifiedStore {
  /** Null where it was given none yet. */
  id(): Promise<string | null>
  isEmpty(): Promise<boolean>
  identify(id: string): Promise<void>
}

/** `emptied`: the record has nothing, while the analytics store is full. `unrelated`: it was filled from another record. */
export type Pairing = 'paired' | 'emptied' | 'unrelated'

/** Gives both stores an id where one has none yet and nothing speaks against it. `drawId` returns an id nothing else has. */
export async function pairStores(
  record: IdentifiedStore,
  analytics: IdentifiedStore,
  drawId: () => string,
): Promise<Pairing> {
  const [ours, theirs, isRecordEmpty] = [await record.id(), await analytics.id(), await record.isEmpty()]
  if (ours !== null && ours === theirs && !isRecordEmpty) return 'paired'
  if (await analytics.isEmpty()) {
    if (ours === null || ours !== theirs) await identifyBoth(record, analytics, drawId())
    return 'paired'
  }
  if (isRecordEmpty) return 'emptied'
  if (theirs !== null) return 'unrelated'
  // Stores of a version without ids, or such a start that was cut short.
  await identifyBoth(record, analytics, ours ?? drawId())
  return 'paired'
}

/** Gives both a new id where they differ: the analytics store was just filled from this record. */
export async function pairPopulated(
  record: IdentifiedStore,
  analytics: IdentifiedStore,
  drawId: () => string,
): Promise<void> {
  const ours = await record.id()
  if (ours === null || ours !== (await analytics.id())) await identifyBoth(record, analytics, drawId())
}

// The record first: cut short, the analytics store has no id or one that fits nothing, and both cases are known above.
async function identifyBoth(record: IdentifiedStore, analytics: IdentifiedStore, id: string): Promise<void> {
  await record.identify(id)
  await analytics.identify(id)
}
