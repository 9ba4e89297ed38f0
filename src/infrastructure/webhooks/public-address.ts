// Classification of IP addresses: public internet, or possibly this machine, its network or its cloud.
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Azure's platform services, reachable from every machine there under an address that looks public. */
const AZURE = '168.63.129.16'
/** Global unicast. ipaddr.js calls more addresses unicast, among them some that embed 127.0.0.1. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3')
/** Special ranges within `GLOBAL`: protocol assignments with Teredo, documentation, 6to4, documentation, AS112. */
const SPECIAL = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
)

/** Returns whether the address is public; false for anything but an IP address in its plain form. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return address !== AZURE && ipaddr.IPv4.parse(address).range() === 'unicast'
  // A zone (`fe80::1%lo`) names a link of this machine.
  if (!isIPv6(address) || address.includes('%')) return false
  const parsed = ipaddr.IPv6.parse(address)
  return parsed.match(GLOBAL) && !SPECIAL.some((range) => parsed.match(range))
}
