// Sends webhooks of a key when its holder asks: a test to an address, or a delivery again. Both limited, since each
// request makes this service send up to eight.
import type { Ticker } from '../../domain/shared/identifiers.ts'
import { ServiceError } from '../errors.ts'
import type { Wait } from '../ports/system.ts'
import type { DeliveryDetail, KeyQueries, ShownDelivery } from '../queries/key-queries.ts'
import { unknownAlert } from './alert-rules.ts'
import { wellFormedTicker } from './watchlist.ts'

/** The id of the delivery that is sent, why none is, or after how many seconds one may be. */
export type SendResult = { id: string } | { refused: 'unknown' | 'no-address' } | { retryAfterSeconds: number }

/** Requests of holders of keys (PostgreSQL). */
export interface RequestedSends {
  /** Restarts the retry schedule of a delivery; one that is on its way stays as it is. */
  resend(keyId: string, id: string): Promise<SendResult>
  /** Sends a test event to the address of an entry of the watchlist. */
  test(keyId: string, ticker: Ticker): Promise<SendResult>
  /** Sends a test event to the address of a rule, in its format. */
  testRule(keyId: string, id: string): Promise<SendResult>
}

export interface SendOnRequest {
  /** Throws `unknown_delivery`, `no_webhook_address` or `rate_limited`. */
  resend(keyId: string, id: string): Promise<ShownDelivery>
  /**
   * Returns the delivery once it was attempted, or as it waits after some seconds. Throws `invalid_parameter`,
   * `not_on_watchlist`, `no_webhook_address` or `rate_limited`.
   */
  test(keyId: string, ticker: string): Promise<DeliveryDetail>
  /** Returns the same. Throws `unknown_alert` or `rate_limited`. */
  testAlert(keyId: string, id: string): Promise<DeliveryDetail>
}

/** Within the time of a request; a receiver may take longer. */
const PATIENCE_MS = 3_000
const POLL_MS = 50

export function makeSendOnRequest(
  sends: RequestedSends,
  queries: Pick<KeyQueries, 'delivery'>,
  wait: Wait,
): SendOnRequest {
  const shown = async (keyId: string, id: string) => {
    const { body: _, attemptsMade: __, ...delivery } = (await queries.delivery(keyId, id))!
    return delivery
  }
  const attempted = async (keyId: string, id: string) => {
    for (let waited = 0; ; waited += POLL_MS) {
      const delivery = (await queries.delivery(keyId, id))!
      if (delivery.attemptsMade.length > 0 || delivery.status !== 'waiting' || waited >= PATIENCE_MS) return delivery
      await wait(POLL_MS)
    }
  }
  return {
    resend: async (keyId, id) => shown(keyId, idOf(await sends.resend(keyId, id), unknownDelivery, UNWATCHED)),
    test: async (keyId, text) => {
      const ticker = wellFormedTicker(text, 'invalid_parameter', 'path.ticker')
      const unknown = () => new ServiceError('not_on_watchlist', 'This company is not on your watchlist')
      return attempted(keyId, idOf(await sends.test(keyId, ticker), unknown, 'This entry has no webhook address'))
    },
    testAlert: async (keyId, id) => attempted(keyId, idOf(await sends.testRule(keyId, id), unknownAlert, '')),
  }
}

const UNWATCHED = 'The address of this delivery is no longer one of your watchlist or your alerts'

export const unknownDelivery = () => new ServiceError('unknown_delivery', 'Your key has no delivery with this id')

function idOf(result: SendResult, unknown: () => ServiceError, noAddress: string): string {
  if ('id' in result) return result.id
  if ('refused' in result) {
    throw result.refused === 'unknown' ? unknown() : new ServiceError('no_webhook_address', noAddress)
  }
  const { retryAfterSeconds } = result
  throw new ServiceError(
    'rate_limited',
    'At most 60 test events and resent deliveries an hour; try again after the seconds in Retry-After',
    undefined,
    { retryAfterSeconds },
  )
}
