// Escaping of untrusted text for a terminal, a log and a page: invisible characters are written as escapes.
import { isUtf8 } from 'node:buffer'

// Controls (C0, DEL and C1), bidirectional and other format characters, line and paragraph separators, lone
// surrogates, private and unassigned code points, and invisible ones such as variation selectors.
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Nearly all texts, which are found out much faster than what is to be escaped in others. */
const PLAIN = /^[ -~]*$/

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Returns the text in one line with escapes as JSON writes them, so that a JSON text stays the same JSON. Bytes that
 * are not UTF-8, such as in a file name, become `\xff` above 7f.
 */
export function printable(text: string | Uint8Array): string {
  const whole = typeof text === 'string' ? text : decoded(text)
  return PLAIN.test(whole) ? whole : whole.replace(UNPRINTABLE, escaped)
}

function escaped(character: string): string {
  return (
    SHORT[character] ??
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join('')
  )
}

function decoded(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes)
  if (isUtf8(buffer)) return buffer.toString('utf8')
  return buffer.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)
}

// The id of an API key, which is not secret, stays. Long enough that a folder can be called itd_data.
const SECRET = /(itd_[0-9A-Za-z]{10}|itd)_[\w-]{16,}|whsec_[\w+/=-]{8,}/g

/** Returns the text without anything like an API key or a webhook secret, except those in `shown`. */
export function withoutSecrets(text: string, shown: readonly string[] = []): string {
  if (!text.includes('itd_') && !text.includes('whsec_')) return text
  return text.replace(SECRET, (secret, begin = 'whsec') => (shown.includes(secret) ? secret : `${begin}_***`))
}

/** Returns a line for a terminal or a log, with its end. A line of JSON stays the same JSON. */
export function lineOf(text: string, secrets?: readonly string[]): string {
  return `${withoutSecrets(printable(text), secrets)}\n`
}
