// DNS resolution for webhooks. Callers choose the host names, and the DNS servers of these may never answer. The
// system's resolver would block a thread of Node's pool for each such name, so DNS is asked directly.
import { lookup as systemLookup, Resolver } from 'node:dns/promises'

/** Returns all addresses of a name. Rejects, or returns none, if there are none. */
export type Resolve = (host: string) => Promise<string[]>

/** The second try takes about twice as long; both together stay below the time limit for connecting. */
const resolver = new Resolver({ timeout: 1_200, tries: 2 })

/** Resolves by DNS only, IPv4 first, without the hosts file. */
export async function resolveByDns(host: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const failed = answers.find((answer) => answer.status === 'rejected')
  if (addresses.length === 0 && failed) throw failed.reason
  return addresses
}

/** Resolves like any program on this machine, including the hosts file. */
export async function resolveBySystem(host: string): Promise<string[]> {
  return (await systemLookup(host, { all: true })).map(({ address }) => address)
}
