// The character classes of XML 1.0 (fifth edition), its five entities, and a document's text as character codes.

/** Everything outside the Char production, lone surrogates included. */
export const ILLEGAL = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

const NAME_START =
  'A-Za-z_:\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D' +
  '\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}'
/** A Name, from `lastIndex` on. */
export const NAME = new RegExp(`[${NAME_START}][${NAME_START}\\-.0-9\\u00B7\\u0300-\\u036F\\u203F-\\u2040]*`, 'uy')

/** 1 for characters allowed inside a name, for codes below 128. */
export const ASCII_NAME = Uint8Array.from({ length: 128 }, (_, code) => {
  return /[\w:.-]/.test(String.fromCharCode(code)) ? 1 : 0
})

/** What a character of text requires of the tokenizer. */
export const PLAIN = 0,
  TAG = 1,
  REFERENCE = 2,
  BRACKET = 3,
  FORBIDDEN = 4

const ASCII_TEXT = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code < 32) return code === 9 || code === 10 ? PLAIN : FORBIDDEN
  return ({ '<': TAG, '&': REFERENCE, ']': BRACKET } as Record<string, number>)[String.fromCharCode(code)] ?? PLAIN
})

export function textClass(codes: Uint16Array, at: number): number {
  const code = codes[at]!
  if (code < 128) return ASCII_TEXT[code]!
  return code < 0xd800 ? PLAIN : highClass(codes, at, code)
}

function highClass(codes: Uint16Array, at: number, code: number): number {
  if (code <= 0xdbff) return (codes[at + 1]! & 0xfc00) === 0xdc00 ? PLAIN : FORBIDDEN
  if (code <= 0xdfff) return (codes[at - 1]! & 0xfc00) === 0xd800 ? PLAIN : FORBIDDEN
  return code >= 0xfffe ? FORBIDDEN : PLAIN
}

let spare: Buffer | null = null
/** Larger than nearly every document; a rare longer one gets a buffer of its own. */
const SPARE_CODES = 64 * 1024

/**
 * Lends the text's UTF-16 codes, terminated by a 0: reading numbers from an array is half again as fast as
 * charCodeAt. The array is reused for the next document, so it must not be kept.
 */
export function withCodes(text: string, use: (codes: Uint16Array) => void): void {
  const reusable = text.length < SPARE_CODES
  const buffer = (reusable ? spare : null) ?? Buffer.allocUnsafeSlow(2 * (reusable ? SPARE_CODES : text.length + 1))
  if (reusable) spare = null
  try {
    const codes = new Uint16Array(buffer.buffer)
    buffer.write(text, 'utf16le')
    codes[text.length] = 0
    use(codes)
  } finally {
    if (buffer.length === 2 * SPARE_CODES) spare = buffer
  }
}

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])
const ENTITY_NAME = /^[A-Za-z_:][\w:.-]*$/
const HASH = 35,
  SMALL_X = 120
const BEYOND_UNICODE = 0x110000

type Fail = (problem: string, index: number) => never

/** Resolves `&amp;` and the like and numeric references. `fail` gets the problem and the index of the `&` in `raw`. */
export function expandReferences(raw: string, fail: Fail): string {
  let out = ''
  let from = 0
  for (let at = raw.indexOf('&'); at !== -1; at = raw.indexOf('&', from)) {
    const end = raw.indexOf(';', at)
    if (end === -1) fail('"&" that begins no entity or character reference', at)
    const resolve = raw.charCodeAt(at + 1) === HASH ? character : entity
    out += raw.slice(from, at) + resolve(raw, at, end, fail)
    from = end + 1
  }
  return out + raw.slice(from)
}

function entity(raw: string, at: number, end: number, fail: Fail): string {
  const name = raw.slice(at + 1, end)
  const known = ENTITIES.get(name)
  if (known !== undefined) return known
  if (!ENTITY_NAME.test(name)) fail('"&" that begins no entity or character reference', at)
  return fail(`unknown entity ${raw.slice(at, Math.min(end + 1, at + 40))}`, at)
}

function character(raw: string, at: number, end: number, fail: Fail): string {
  const isHexadecimal = raw.charCodeAt(at + 2) === SMALL_X
  const radix = isHexadecimal ? 16 : 10
  const start = at + (isHexadecimal ? 3 : 2)
  let code = 0
  for (let index = start; index < end; index++) {
    const digit = digitOf(raw.charCodeAt(index))
    if (digit >= radix) fail('"&" that begins no entity or character reference', at)
    code = Math.min(code * radix + digit, BEYOND_UNICODE)
  }
  if (start === end) fail('"&" that begins no entity or character reference', at)
  if (isLegal(code)) return String.fromCodePoint(code)
  return fail(`reference ${raw.slice(at, Math.min(end + 1, at + 40))} to a character XML forbids`, at)
}

/** Returns the value of a hexadecimal digit; 16 for everything else. */
function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = (code | 32) - 97
  return letter >= 0 && letter < 6 ? letter + 10 : 16
}

/** The Char production, as ILLEGAL has it. */
function isLegal(code: number): boolean {
  if (code < 0x20) return code === 9 || code === 10 || code === 13
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code > 0xffff && code < BEYOND_UNICODE)
}
