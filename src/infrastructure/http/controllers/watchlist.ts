// The watchlist of the caller's key.
import type { Watchlist } from '../../../application/commands/watchlist.ts'
import type { KeyQueries } from '../../../application/queries/key-queries.ts'
import { ok, type KeyedHandler } from '../handler.ts'

export function listWatchlist(queries: KeyQueries): KeyedHandler<'listWatchlist'> {
  return async ({ keyId }) => ok({ companies: await queries.watchlist(keyId) })
}

export function addToWatchlist(watchlist: Watchlist): KeyedHandler<'addToWatchlist'> {
  return async ({ keyId, body: { ticker, webhookUrl = null } }) => {
    const { entry, isNew } = await watchlist.add(keyId, ticker, webhookUrl)
    const { json } = ok({ ...entry, ...(webhookUrl !== null && { webhookUrl }) })
    return isNew ? { status: 201, json } : { status: 200, json }
  }
}

export function removeFromWatchlist(watchlist: Watchlist): KeyedHandler<'removeFromWatchlist'> {
  return async ({ keyId, path }) => {
    await watchlist.remove(keyId, path.ticker)
    return { status: 200, json: { success: true } }
  }
}
