// The guard against server-side request forgery (SSRF). Callers choose webhook URLs, and this service requests them
// from inside its network: addresses of this machine, its network or its cloud are refused, when a URL is saved and
// again on each connection.
import { isIP, isIPv4, type LookupFunction } from 'node:net'
import { ServiceError, type ErrorDetail } from '../../application/errors.ts'
import { isPublicAddress } from './public-address.ts'
import { resolveByDns, resolveBySystem, type Resolve } from './dns.ts'

interface AddressGuardOptions {
  /** Allows `http:` as well as `https:`. */
  allowHttp: boolean
  /**
   * Hosts exempt from the rules for addresses and ports: `localhost`, `10.0.0.7`, `::1`. Compared with the host of the
   * URL, not with the addresses that it resolves to.
   */
  allowHosts: string[]
  /** Defaults to DNS. */
  lookup?: Resolve
}

export interface AddressGuard {
  /** Checks the text alone. Throws ServiceError `webhook_url_refused`. */
  checkUrl(text: string): URL
  /** Checks all addresses that the URL's host resolves to, after `checkUrl`. Rejects with the same error. */
  checkAddress(url: URL): Promise<void>
  /** Returns why a host that is an IP address is refused, or null; Node calls `lookup` for names only. */
  refusalOf(host: string): Error | null
  /** Resolves a name; fails with code REFUSED if any address is refused, NO_ADDRESS if there is none. */
  lookup: LookupFunction
}

export const REFUSED = 'ADDRESS_REFUSED'
export const NO_ADDRESS = 'NO_ADDRESS'

const MAX_URL_LENGTH = 2_000
const MAX_HOST_LENGTH = 253
/** The only ports above 1023 that are refused: databases, queues, and remote administration. */
const SERVICE_PORTS = new Set([
  1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4369, 5432, 5433, 5672, 5984, 5985, 5986, 6000, 6379,
  6380, 6443, 7000, 7001, 7474, 7687, 8086, 8123, 8500, 9000, 9009, 9042, 9092, 9100, 9200, 9300, 9440, 10250, 10255,
  11211, 15672, 16379, 26379, 26257, 27017, 27018, 27019, 28015, 50000,
])
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
const INTERNAL_NAME = /(^|\.)localhost$|\.(local|internal)$|^[^.]+$/

/** Makes a guard. Throws if an entry of `allowHosts` is not a host. */
export function openAddressGuard({ allowHttp, allowHosts, lookup = resolveByDns }: AddressGuardOptions): AddressGuard {
  const allowed = new Set(allowHosts.map(allowedHost))

  /** Rejects with code REFUSED or NO_ADDRESS. */
  async function resolve(host: string): Promise<string[]> {
    const isAllowed = allowed.has(host)
    const addresses = await (isAllowed ? resolveBySystem : lookup)(host).catch(() => [])
    if (addresses.length === 0) throw errorWithCode(NO_ADDRESS)
    if (!isAllowed && !addresses.every(isPublicAddress)) throw errorWithCode(REFUSED)
    return addresses
  }

  function refusalOf(host: string): Error | null {
    return isIP(host) === 0 || allowed.has(host) || isPublicAddress(host) ? null : errorWithCode(REFUSED)
  }

  return {
    refusalOf,

    checkUrl(text) {
      const url = parse(text, allowHttp)
      const host = withoutBrackets(url.hostname)
      if (allowed.has(host)) return url
      if (refusalOf(host) || (isIP(host) === 0 && INTERNAL_NAME.test(host))) throw refusedAddress()
      const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443))
      const isWeb = port === 443 || (port === 80 && url.protocol === 'http:')
      if (!isWeb && (port < 1024 || SERVICE_PORTS.has(port))) throw refused(`port ${port} is not allowed for webhooks`)
      return url
    },

    async checkAddress(url) {
      const host = withoutBrackets(url.hostname)
      if (refusalOf(host)) throw refusedAddress()
      if (isIP(host) !== 0) return
      await resolve(host).catch((error: { code?: unknown }) => {
        throw error.code === NO_ADDRESS ? unresolvedName() : refusedAddress()
      })
    },

    lookup(host, options, callback) {
      resolve(host).then(
        (addresses) => {
          const ofFamily = addresses
            .map((address) => ({ address, family: isIP(address) }))
            .filter(({ family }) => !options.family || options.family === family)
          const [first] = ofFamily
          if (!first) return callback(errorWithCode(NO_ADDRESS), [])
          // With `all` Node tries the addresses in turn; each was checked.
          if (options.all) return callback(null, ofFamily)
          callback(null, first.address, first.family)
        },
        (error: Error) => callback(error, []),
      )
    },
  }
}

/** Parses a URL. Refuses what URL parsers disagree on, so that the checked host is the one that is requested. */
function parse(text: string, allowHttp: boolean): URL {
  if (text.length > MAX_URL_LENGTH) throw refused(`must be at most ${MAX_URL_LENGTH} characters`)
  if (!/^[\x21-\x7e]*$/.test(text)) throw refused('must have no spaces and only ASCII characters, the rest as %20')
  const [, scheme = '', authority = ''] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#\\]+)/.exec(text) ?? []
  if (authority === '' || text.includes('\\')) throw refused('must have the form https://host/path')
  if (scheme.toLowerCase() !== 'https' && !(allowHttp && scheme.toLowerCase() === 'http')) {
    throw refused(allowHttp ? 'must begin with https:// or http://' : 'must begin with https://')
  }
  if (authority.includes('@')) throw refused('must have no user or password')
  const url = URL.parse(text)
  if (url === null) throw refused('must have the form https://host/path')
  const host = authority.replace(/:\d*$/, '').toLowerCase()
  if (host.endsWith('.')) throw refused('the host must not end with a dot')
  if (host.length > MAX_HOST_LENGTH) throw refused(`the host must be at most ${MAX_HOST_LENGTH} characters`)
  if (isIPv4(url.hostname) && host !== url.hostname) throw refused('an IPv4 host must be four plain decimal numbers')
  const isName = !host.startsWith('[')
  if (isName && (host !== url.hostname || !host.split('.').every((label) => LABEL.test(label)))) {
    throw refused('the host must be a name of letters, digits, hyphens and dots')
  }
  return url
}

/** Returns an entry of `allowHosts` as `URL` writes hosts, without brackets. Throws if it is not a host. */
function allowedHost(text: string): string {
  const url = URL.parse(`http://${isIP(text) === 6 ? `[${text}]` : text}/`)
  if (url === null || !/^([A-Za-z0-9._-]+|\[?[0-9a-fA-F:.]+\]?)$/.test(text) || url.port !== '') {
    throw new Error(`"${text}" is not a host such as localhost, 10.0.0.7 or ::1`)
  }
  return withoutBrackets(url.hostname)
}

/** `URL` writes IPv6 addresses in brackets. */
const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

/** Makes an error like those of Node's sockets, which callers tell apart by `code`. */
export const errorWithCode = (code: string) => Object.assign(new Error(code), { code })

/** One message for all refused addresses, so that it reveals nothing about the internal network. */
const refusedAddress = () => refused('must lead to a public address', 'address_not_public')

/** The name is not registered, has no address, or its DNS servers do not answer. */
const unresolvedName = () => refused('the host name could not be resolved to an address', 'name_not_resolved')

function refused(message: string, code?: ErrorDetail['code']): ServiceError {
  const details = [{ path: 'body.webhookUrl', message, ...(code && { code }) }]
  return new ServiceError('webhook_url_refused', 'This webhook address cannot be used', details)
}
