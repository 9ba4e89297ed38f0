// Pairs PostgreSQL and ClickHouse by a common id. Both get a new id whenever an empty ClickHouse is filled, so a copy of
// ClickHouse that was left behind and lacks newer filings is recognized.

/** One of the two stores. */
export interface IdentifiedStore {
  /** Returns null if the store has no id yet. */
  id(): Promise<string | null>
  isEmpty(): Promise<boolean>
  identify(id: string): Promise<void>
}

/** `emptied`: PostgreSQL is empty and ClickHouse is not. `unrelated`: ClickHouse was filled from another PostgreSQL. */
export type Pairing = 'paired' | 'emptied' | 'unrelated'

/** Gives both stores the same id unless they conflict. `newId` returns an id that no store has. */
export async function pairStores(
  record: IdentifiedStore,
  analytics: IdentifiedStore,
  newId: () => string,
): Promise<Pairing> {
  const recordId = await record.id()
  const analyticsId = await analytics.id()
  const isRecordEmpty = await record.isEmpty()
  if (recordId !== null && recordId === analyticsId && !isRecordEmpty) return 'paired'
  if (await analytics.isEmpty()) {
    if (recordId === null || recordId !== analyticsId) await identifyBoth(record, analytics, newId())
    return 'paired'
  }
  if (isRecordEmpty) return 'emptied'
  if (analyticsId !== null) return 'unrelated'
  // An earlier start was cut short between the two ids.
  await identifyBoth(record, analytics, recordId ?? newId())
  return 'paired'
}

/** Gives both stores a new id if their ids differ. Has to be called when ClickHouse was just filled from PostgreSQL. */
export async function pairPopulated(
  record: IdentifiedStore,
  analytics: IdentifiedStore,
  newId: () => string,
): Promise<void> {
  const recordId = await record.id()
  if (recordId === null || recordId !== (await analytics.id())) await identifyBoth(record, analytics, newId())
}

// PostgreSQL first: if this is interrupted, ClickHouse has no id or a former one, and `pairStores` handles both.
async function identifyBoth(record: IdentifiedStore, analytics: IdentifiedStore, id: string): Promise<void> {
  await record.identify(id)
  await analytics.identify(id)
}
