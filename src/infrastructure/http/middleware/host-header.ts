// The Host header, which RFC 9112 §3.2 requires of every HTTP/1.1 request exactly once. The name in it means nothing
// here, but a proxy in front may route by it, and must not have read another one than we did.
import type { IncomingMessage } from 'node:http'

// A name, an IPv4 or an IPv6 address, with a port or without. RFC 3986 §3.2.2 and §3.2.3; empty is allowed.
const WELL_FORMED = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%!$&'()*+,;=-]*)(:[0-9]*)?$/

/** Returns what is wrong with the Host header, or null. Node's own check is off, because its response has no body. */
export function hostFault({ rawHeaders, httpVersionMajor, httpVersionMinor }: IncomingMessage): string | null {
  let host: string | undefined
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place]!
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) return 'is given more than once'
    host = rawHeaders[place + 1]!
  }
  if (host !== undefined) return WELL_FORMED.test(host) ? null : 'is not a host name or address'
  return httpVersionMajor === 1 && httpVersionMinor >= 1 ? 'is missing' : null
}
