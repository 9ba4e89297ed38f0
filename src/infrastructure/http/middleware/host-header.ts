// The Host header, which RFC 9112 §3.2 requires of every HTTP/1.1 request exactly once. The name in it means nothing
// here, but a proxy in front may route by it, and must not have read another one than we did.
import type { IncomingMessage } from 'node:http'

// A name, an IPv4 or an IPv6 address, with a port or without. RFC 3986 §3.2.2 and §3.2.3; empty is allowed.
const WELL_FORMED = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%!$&'()*+,;=-]*)(:[0-9]*)?$/

/** Returns what is wrong with it, or null. node's own check is off (`requireHostHeader`): its response has no body. */
export function hostFault({ rawHeaders, httpVersionMajor, httpVersionMinor }: IncomingMessage): string | null {
  const hosts = rawHeaders.filter((_, place) => place % 2 === 1 && rawHeaders[place - 1]!.toLowerCase() === 'host')
  const isRequired = httpVersionMajor === 1 && httpVersionMinor >= 1
  if (hosts.length === 0) return isRequired ? 'is missing' : null
  if (hosts.length > 1) return 'is given more than once'
  return WELL_FORMED.test(hosts[0]!) ? null : 'is not a host name or address'
}
