// Reasons for failed delivery attempts, as holders of keys and operators read them: a short fixed list. Messages of
// libraries are not passed on, since they contain addresses and may reveal the internal network.
import { TOO_LONG_BEFORE_BODY, TOO_MANY_INFORMATIONAL } from '../answer-limits.ts'
import { NO_ADDRESS, REFUSED } from './address-guard.ts'

const REASONS: Record<string, string> = {
  [REFUSED]: 'refused address',
  // A URL that was accepted when it was saved, under other settings.
  webhook_url_refused: 'refused address',
  [NO_ADDRESS]: 'dns',
  ETIMEDOUT: 'timeout',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ECONNABORTED: 'connection reset',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  HPE_HEADER_OVERFLOW: 'too many headers',
  [TOO_LONG_BEFORE_BODY]: 'too many headers',
  [TOO_MANY_INFORMATIONAL]: 'too many 1xx answers',
  CERT_HAS_EXPIRED: 'tls: certificate expired',
  CERT_NOT_YET_VALID: 'tls: certificate not valid yet',
  CERT_REVOKED: 'tls: certificate revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls: certificate of another host',
  EPROTO: 'tls: handshake failed',
}
const UNTRUSTED = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED|INVALID_CA|CERT_)/

/** Returns the reason for an error with a `code` of Node, got or the guard; `request failed` for unknown codes. */
export function failureReason(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') return 'request failed'
  const reason = REASONS[code]
  if (reason !== undefined) return reason
  if (code.startsWith('HPE_')) return 'not http'
  if (UNTRUSTED.test(code)) return 'tls: certificate not trusted'
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls: handshake failed'
  return 'request failed'
}

export const isReset = (error: unknown): boolean => failureReason(error) === 'connection reset'
