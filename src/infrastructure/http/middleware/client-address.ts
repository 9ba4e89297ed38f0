// Network addresses of callers, for what is counted per caller.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/**
 * Returns the caller's address as Express does: that of the connection, or behind `proxies` trusted proxies the address
 * that many places from the right in X-Forwarded-For.
 */
export function callerAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  proxies: number,
): string {
  const own = socket.remoteAddress ?? ''
  const forwarded = headers['x-forwarded-for']
  if (proxies === 0 || forwarded === undefined) return own
  const hops = String(forwarded).split(',').reverse()
  const addresses = [own, ...hops.map((each) => each.trim())].filter(Boolean)
  return addresses[Math.min(proxies, addresses.length - 1)] ?? own
}

/**
 * Returns what a caller is counted as: the IPv4 address, or the /64 of an IPv6 address, which is the least that one
 * customer of a provider has. Null for this machine itself.
 */
export function countedAddress(text: string): string | null {
  const address = text.replace(/^::ffff:/i, '')
  if (address === '::1' || address.startsWith('127.')) return null
  return isIP(address) === 6 ? network(address) : address
}

function network(address: string): string {
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  const rest = (tail ?? '').split(':').filter(Boolean)
  if (tail !== undefined) groups.push(...Array(Math.max(0, 8 - groups.length - rest.length)).fill('0'), ...rest)
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')
}
