// Do ledger, ClickHouse and the simulated EDGAR's own list agree exactly?
import { assert } from 'chai'
import { gunzipSync } from 'node:zlib'
import { wholeFeed } from '../../http/answers.ts'
import { testService } from '../../service/service.ts'

/** What follows a simulated EDGAR, in however many processes. */
export interface Following {
  /** Of one that answers. */
  address: string
  /** Accession numbers. */
  published: string[]
  /** Asks PostgreSQL. */
  query<T>(text: string): Promise<T[]>
}

/**
 * Each published filing once in the ledger, projected; the feed what an undisturbed ingest of the same documents lists.
 */
export async function expectAgreement(followed: Following): Promise<void> {
  const ledger = await followed.query<{ accession: string; status: string; document: Buffer }>(
    'SELECT accession, status, document FROM filings ORDER BY accession',
  )
  assert.deepEqual(
    ledger.map((row) => row.accession),
    followed.published.toSorted(),
  )
  assert.deepEqual(
    ledger.filter((row) => row.status !== 'projected'),
    [],
  )
  const listed = (await wholeFeed(followed.address)).map((row) => row.id)
  assert.strictEqual(new Set(listed).size, listed.length, 'a row is doubled')
  const calm = await testService()
  try {
    await calm.take(
      ...ledger.map(({ accession, document }) => ({ path: `${accession}.txt`, text: gunzipSync(document).toString() })),
    )
    assert.deepEqual(listed, await calm.listed())
  } finally {
    await calm.close()
  }
}
