// The open-market trades that a picture is made of: pages of the feed, up to a thousand rows, the newest first.
import type { Query, Transaction } from '../client/index.ts'
import { pathOf } from '../client/operations.ts'
import { client, type ShownCall } from './api.ts'

const MAX_ROWS = 1_000

export interface PictureRows {
  rows: Transaction[]
  /** There are more: these are the newest. */
  isCut: boolean
}

export const pictureQuery = (query: Query<'listFeed'>): Query<'listFeed'> => ({
  ...query,
  transactionTypes: 'buy,sell',
  detail: 'full',
  limit: 100,
})

export async function pictureRows(query: Query<'listFeed'>, signal: AbortSignal): Promise<PictureRows> {
  const rows: Transaction[] = []
  for await (const row of client.feed.all(pictureQuery(query), { signal })) {
    if (rows.length === MAX_ROWS) return { rows, isCut: true }
    rows.push(row)
  }
  return { rows, isCut: false }
}

/** Returns the call of the feed as it is shown to the reader. */
export function feedCall(query: Query<'listFeed'>): ShownCall {
  return {
    path: pathOf('listFeed', {}, query),
    typescript: `for await (const trade of client.feed.all(${JSON.stringify(query)})) console.log(trade)`,
  }
}
