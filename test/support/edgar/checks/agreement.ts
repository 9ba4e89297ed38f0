// Do ledger, ClickHouse and the simulated EDGAR's own list agree exactly?
import { expect } from 'chai'
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

/** Each published filing once in the ledger, projected; the feed what an undisturbed ingest of the same documents lists. */
export async function expectAgreement(followed: Following): Promise<void> {
  const ledger = await followed.query<{ accession: string; status: string; document: Buffer }>(
    'SELECT accession, status, document FROM filings ORDER BY accession',
  )
  expect(ledger.map((row) => row.accession)).to.deep.equal(followed.published.toSorted())
  expect(ledger.filter((row) => row.status !== 'projected')).to.deep.equal([])
  const listed = (await wholeFeed(followed.address)).map((row) => row.id)
  expect(new Set(listed).size, 'a row is doubled').to.equal(listed.length)
  const calm = await testService()
  try {
    await calm.take(
      ...ledger.map(({ accession, document }) => ({ path: `${accession}.txt`, text: gunzipSync(document).toString() })),
    )
    expect(listed).to.deep.equal(await calm.listed())
  } finally {
    await calm.close()
  }
}
