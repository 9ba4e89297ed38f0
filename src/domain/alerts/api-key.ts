// API keys in their written form, `itd_<id>_<secret><checksum>`. The checksum distinguishes a typo from a wrong key
// without a database query, and lets scanners of published code recognize one of ours.

export interface ApiKey {
  /** Identifies the key, also to its operator; not secret. 10 base62 characters. */
  id: string
  /** 32 base62 characters, 190 bits. */
  secret: string
}

export const KEY_ID = /^[0-9A-Za-z]{10}$/

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORM = /^(itd_([0-9A-Za-z]{10})_([0-9A-Za-z]{32}))([0-9A-Za-z]{6})$/
/**
 * The last multiple of 62 among the values of a byte: higher values are drawn again, so that all characters are equally
 * likely.
 */
const FAIR = 248

/** Parses a key; null if the form or the checksum is wrong. */
export function readApiKey(text: string): ApiKey | null {
  const [, checked, id, secret, checksum] = FORM.exec(text) ?? []
  if (checked === undefined || checksumOf(checked) !== checksum) return null
  return { id: id!, secret: secret! }
}

export function writeApiKey({ id, secret }: ApiKey): string {
  const checked = `itd_${id}_${secret}`
  return checked + checksumOf(checked)
}

/** Makes a key; `draw` returns that many random bytes. */
export function newApiKey(draw: (count: number) => Uint8Array): ApiKey {
  return { id: base62(10, draw), secret: base62(32, draw) }
}

export function base62(length: number, draw: (count: number) => Uint8Array): string {
  let text = ''
  while (text.length < length) {
    for (const byte of draw(length - text.length)) text += byte < FAIR ? BASE62[byte % 62] : ''
  }
  return text
}

/** 62^6 is 13 times 2^32, so all of the CRC-32 is kept. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let written = ''
  for (let place = 0; place < 6; place++) {
    written = BASE62[rest % 62] + written
    rest = Math.floor(rest / 62)
  }
  return written
}

/** Computes the CRC-32 of ASCII text, with the polynomial of zlib and PNG. Bit by bit: 45 characters take 1 us. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let place = 0; place < text.length; place++) {
    crc ^= text.charCodeAt(place)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}
