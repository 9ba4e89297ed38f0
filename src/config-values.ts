// Values of settings. Each function returns the value, or throws the rest of a sentence that begins with the variable's
// name; a value that may contain a password or a key is not repeated there.
import { isIP } from 'node:net'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Where stores and service run: on this machine itself, or as containers. */
export type StackKind = 'embedded' | 'docker'

export function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65535) throw new Error(`must be 1 to 65535, not "${text}"`)
  return port
}

export function parseHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(host)) {
    throw new Error(`must be an IP address or a host name, not "${text}"`)
  }
  return host
}

export function parseHosts(text: string): string[] {
  return text.split(',').map((host) => parseHost(host.trim()).toLowerCase())
}

// The error never repeats the value.
export function parseSecretsKey(text: string): Buffer {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) return Buffer.from(text, 'base64')
  throw new Error('must be 32 bytes as base64 or as 64 hex digits, such as openssl rand -base64 32 gives')
}

// The value may contain a password, so the error never repeats it.
export function parseUrl(...schemes: string[]): (text: string) => string {
  return (text) => {
    const url = URL.parse(text)
    if (url === null || !schemes.includes(url.protocol.slice(0, -1)) || url.hostname === '') {
      throw new Error(`must be an address such as ${schemes[0]}://host:port`)
    }
    return text
  }
}

/** Returns the address without a slash at the end. It is shown to all who read alerts and feeds. */
export function parsePublicUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain = /^https?:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9._~/-]*)?$/.test(text) && text.length <= 300
  if (url === null || !isPlain) throw new Error(`must be an address such as https://insider.example.com, not "${text}"`)
  return url.href.replace(/\/+$/, '')
}

// It is inserted in SQL between quotes.
export function parseCluster(text: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(text))
    throw new Error(`must be a name of letters, digits, _ . and -, not "${text}"`)
  return text
}

export function parseNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (!/^\d+(\.\d+)?$/.test(text) || number < least || number > most)
      throw new Error(`must be ${least} to ${most}, not "${text}"`)
    return number
  }
}

export function parseCount(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = Number(text)
    if (!/^\d{1,9}$/.test(text) || count < least || count > most)
      throw new Error(`must be a whole number from ${least} to ${most}, not "${text}"`)
    return count
  }
}

export function parseStack(text: string): StackKind {
  if (text === 'embedded' || text === 'docker') return text
  throw new Error(`must be embedded or docker, not "${text}"`)
}

export function parseAccess(text: string): 'public' | 'key' {
  if (text === 'public' || text === 'key') return text
  throw new Error(`must be public or key, not "${text}"`)
}

export function parseReplicas(text: string): number {
  const count = Number(text)
  if (!/^\d{1,3}$/.test(text) || count < 1 || count > 100) throw new Error(`must be 1 to 100 containers, not "${text}"`)
  return count
}

export function parseLogLevel(text: string) {
  const level = logLevels.find((known) => known === text.toLowerCase())
  if (level === undefined) throw new Error(`must be one of ${logLevels.join(', ')}, not "${text}"`)
  return level
}

// Express would also take "true", which trusts whatever any caller writes into X-Forwarded-For.
export function parseTrustProxy(text: string): false | number {
  if (/^(false|no|off)$/i.test(text)) return false
  if (!/^\d{1,2}$/.test(text)) throw new Error(`must be the number of proxies in front, not "${text}"`)
  return Number(text) || false
}

export function parseSwitch(text: string): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true
  if (/^(0|false|no|off)$/i.test(text)) return false
  throw new Error(`must be 1 or 0, not "${text}"`)
}

// The SEC asks for a name and an address that it can write to. It is sent as a header.
export function parseUserAgent(text: string): string {
  if (!/^[\x20-\x7e\xa0-\xff]{1,200}$/.test(text)) throw new Error('must be 1 to 200 Latin characters')
  if (/(^|[\s(<])[^\s@]+@[^\s@]+\.[^\s@.]/.test(text)) return text
  throw new Error(`must have a contact, as the SEC asks, such as "Your Name you@example.com", not "${text}"`)
}

const BYTE_UNITS: Record<string, number> = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** Returns bytes: `64MiB`, `512KiB`, `1GiB`, or a plain number of bytes. Throws for anything else. */
export function parseBytes(text: string): number {
  const [, digits, unit = ''] = /^([0-9]{1,12})(KiB|MiB|GiB)?$/.exec(text) ?? []
  const bytes = Number(digits) * BYTE_UNITS[unit]!
  if (digits === undefined || !Number.isSafeInteger(bytes)) {
    throw new Error(`must be a size such as 64MiB, or 0, not "${text}"`)
  }
  return bytes
}
