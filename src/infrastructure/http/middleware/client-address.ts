// Network addresses of callers, for the request log and for limits per caller.
import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

type RequestOrigin = Pick<IncomingMessage, 'socket' | 'headers'>

/**
 * Returns the caller's address in canonical form: that of the connection, or behind `proxies` trusted proxies the entry
 * that many places from the right in X-Forwarded-For, if it is an address. Empty if the connection has ended.
 */
export function callerAddress({ socket, headers }: RequestOrigin, proxies: number): string {
  const own = canonicalAddress(socket.remoteAddress ?? '') ?? ''
  const forwarded = headers['x-forwarded-for']
  if (proxies === 0 || forwarded === undefined) return own
  const hops = String(forwarded)
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
  const caller = hops.at(-Math.min(proxies, hops.length))
  return (caller !== undefined && canonicalAddress(caller)) || own
}

/**
 * Returns the address that a caller is counted under; null for a direct connection from this machine, which is not
 * counted. Requests through a trusted proxy are counted, whatever address they name.
 */
export function countedCaller(request: RequestOrigin, proxies: number): string | null {
  const isForwarded = proxies > 0 && request.headers['x-forwarded-for'] !== undefined
  return isForwarded ? countedAddress(callerAddress(request, proxies)) : countedConnection(request.socket.remoteAddress)
}

/** Returns the same for a connection, by its address. */
export function countedConnection(remoteAddress: string | undefined): string | null {
  const address = canonicalAddress(remoteAddress ?? '') ?? ''
  return isLoopback(address) ? null : countedAddress(address)
}

/** Returns whether an address, in canonical form, is a loopback address. */
export const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.')

/**
 * Returns the IPv4 address, or the /64 network of an IPv6 address, since providers give each customer at least that.
 * Takes canonical addresses.
 */
function countedAddress(address: string): string {
  if (!isIPv6(address)) return address
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return network.map((group) => group.toString(16)).join(':')
}

/** An address in brackets, with a port or without; or one of IPv4 with a port. */
const WITH_PORT = /^(?:\[([^[\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/

/**
 * Returns an address without port and zone, an IPv4-mapped one as IPv4; null for anything else. Short, octal and
 * hexadecimal forms of IPv4 are refused, because programs read them differently.
 */
export function canonicalAddress(text: string): string | null {
  if (isIPv4(text)) return text
  const [, bracketed, ported] = WITH_PORT.exec(text) ?? []
  if (ported !== undefined) return isIPv4(ported) ? ported : null
  const host = bracketed ?? text
  if (!isIPv6(host)) return bracketed !== undefined && isIPv4(host) ? host : null
  const address = ipaddr.IPv6.parse(host.split('%')[0]!)
  return (address.isIPv4MappedAddress() ? address.toIPv4Address() : address).toString()
}
