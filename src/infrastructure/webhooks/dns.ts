// Names to addresses. The names of webhooks are strangers': their servers may never answer, and the system's resolver
// would keep a thread of the pool waiting for each, of which all other look-ups need one.
import { lookup as systemLookup, Resolver } from 'node:dns/promises'

/** All addresses of a name; rejects, or gives none, where there are none. */
export type Resolve = (host: string) => Promise<string[]>

/** With one server 1.2 s and then about twice that, which stays below the time a connection may take. */
const resolver = new Resolver({ timeout: 1_200, tries: 2 })

/** By DNS alone, IPv4 first; what is in the hosts file does not count. */
export async function resolveByDns(host: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const failed = answers.find((answer) => answer.status === 'rejected')
  if (addresses.length === 0 && failed) throw failed.reason
  return addresses
}

/** As any program of this machine does, the hosts file included. */
export async function resolveBySystem(host: string): Promise<string[]> {
  return (await systemLookup(host, { all: true })).map(({ address }) => address)
}
