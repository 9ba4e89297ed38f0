// Handlers of the watchlist of the caller's key and of its deliveries.
import { unknownDelivery, type SendOnRequest } from '../../../application/commands/send-on-request.ts'
import { ServiceError } from '../../../application/errors.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { companyKey } from '../../../domain/filings/ticker-symbol.ts'
import { parseTicker } from '../parameters.ts'
import type { Watchlist } from '../../../application/commands/watchlist.ts'
import type { KeyQueries } from '../../../application/queries/key-queries.ts'
import { ok, type KeyedHandler } from '../handler.ts'
import { DEFAULT_LIMIT } from '../server/limits.ts'

export function listWatchlist(queries: KeyQueries): KeyedHandler<'listWatchlist'> {
  return async ({ keyId, query }) => ok({ companies: await queries.watchlist(keyId, query.detail === 'full') })
}

export function addToWatchlist(watchlist: Watchlist): KeyedHandler<'addToWatchlist'> {
  return async ({ keyId, body: { ticker, webhookUrl = null, detail = false, notices = false } }) => {
    const { entry, isNew, warning } = await watchlist.add(keyId, ticker, webhookUrl, { detail, notices })
    const { json } = ok({
      ...entry,
      ...(webhookUrl !== null && { webhookUrl }),
      ...(detail && { detail: true as const }),
      ...(notices && { notices: true as const }),
      ...(warning !== undefined && { warning }),
    })
    return isNew ? { status: 201, json } : { status: 200, json }
  }
}

export function removeFromWatchlist(watchlist: Watchlist): KeyedHandler<'removeFromWatchlist'> {
  return async ({ keyId, path }) => {
    await watchlist.remove(keyId, path.ticker)
    return { status: 200, json: { success: true } }
  }
}

export function listDeliveries(keyQueries: KeyQueries, queries: Queries): KeyedHandler<'listDeliveries'> {
  return async ({ keyId, query: { ticker, limit = DEFAULT_LIMIT, ...page } }) =>
    ok(
      await keyQueries.deliveries(keyId, {
        ...page,
        limit,
        ...(ticker && { about: await companyOf(queries, ticker) }),
      }),
    )
}

/** Finds the issuers of a symbol. A watchlist may name a symbol that no company has yet, so none is no error. */
async function companyOf(queries: Queries, text: string) {
  const company = parseTicker({ ticker: text })
  const ticker = companyKey(company)
  const { issuers } = await queries.issuers([company]).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'unknown_ticker') return { issuers: [] }
    throw error
  })
  return { ticker, issuers }
}

export function getDelivery(queries: KeyQueries): KeyedHandler<'getDelivery'> {
  return async ({ keyId, path }) => {
    const delivery = await queries.delivery(keyId, path.id)
    if (!delivery) throw unknownDelivery()
    return ok(delivery)
  }
}

export function resendDelivery(sends: SendOnRequest): KeyedHandler<'resendDelivery'> {
  return async ({ keyId, path }) => ({ ...ok(await sends.resend(keyId, path.id)), status: 202 })
}

export function testWebhook(sends: SendOnRequest): KeyedHandler<'testWebhook'> {
  return async ({ keyId, path }) => ({ ...ok(await sends.test(keyId, path.ticker)), status: 202 })
}
