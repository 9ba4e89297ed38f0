// The Host header, which RFC 9112 §3.2 requires of every HTTP/1.1 request exactly once. A proxy in front may route by
// it, and must not have read another one than we did. A service that listens on loopback answers for names of its own
// alone: a web page could have its name lead to this machine, and read what is meant for callers on it.
import type { IncomingMessage } from 'node:http'
import { canonicalAddress, isLoopback } from './client-address.ts'

// A name, an IPv4 or an IPv6 address, with a port or without. RFC 3986 §3.2.2 and §3.2.3; empty is allowed.
const WELL_FORMED = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%!$&'()*+,;=-]*)(:[0-9]*)?$/

/** Says whether requests for a host are served, as a Host header has it: with a port or without. */
export type ServesHost = (host: string) => boolean

/**
 * Returns the hosts of a server that listens on this address; null if it serves any, which it does unless that is
 * loopback. `names` are served besides localhost, the names below it and the addresses of loopback.
 */
export function servedHosts(address: string, names: readonly string[]): ServesHost | null {
  if (!isOfLoopback(address)) return null
  const own = new Set(names.map(comparable))
  return (host) => {
    const [, written] = WELL_FORMED.exec(host) ?? []
    if (written === undefined) return false
    const name = comparable(written)
    // Without a name no web page asked.
    return name === '' || name === 'localhost' || name.endsWith('.localhost') || isOfLoopback(name) || own.has(name)
  }
}

const isOfLoopback = (name: string): boolean => isLoopback(canonicalAddress(name) ?? '')

/** Returns an address in canonical form, a name in lower case and without the dot that it may end in. */
const comparable = (name: string): string => canonicalAddress(name) ?? name.toLowerCase().replace(/\.$/, '')

/**
 * Returns the Host header, null if there is none, or what is wrong with it. Node's own check is off, because its
 * response has no body.
 */
export function hostOf({ rawHeaders, httpVersionMinor }: IncomingMessage): { host: string | null } | { fault: string } {
  let host: string | null = null
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place]!
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== null) return { fault: 'is given more than once' }
    host = rawHeaders[place + 1]!
  }
  if (host === null) return httpVersionMinor >= 1 ? { fault: 'is missing' } : { host }
  return WELL_FORMED.test(host) ? { host } : { fault: 'is not a host name or address' }
}
