// Which characters XML 1.0 (fifth edition) lets stand where, its five entities, and a document's text as numbers.

/** Everything outside the Char production, lone surrogates included. */
export const ILLEGAL = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

const NAME_START = 'A-Za-z_:\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D'
  + '\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}'
/** A Name, from `lastIndex` on. */
export const NAME = new RegExp(`[${NAME_START}][${NAME_START}\\-.0-9\\u00B7\\u0300-\\u036F\\u203F-\\u2040]*`, 'uy')

/** 1 for what may stand inside a name, for codes below 128. */
export const ASCII_NAME = Uint8Array.from({ length: 128 }, (_, code) => {
  return /[\w:.-]/.test(String.fromCharCode(code)) ? 1 : 0
})

/** What a character of text asks of its reader. */
export const PLAIN = 0, TAG = 1, REFERENCE = 2, BRACKET = 3, FORBIDDEN = 4

const ASCII_TEXT = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code < 32) return code === 9 || code === 10 ? PLAIN : FORBIDDEN
  return ({ '<': TAG, '&': REFERENCE, ']': BRACKET } as Record<string, number>)[String.fromCharCode(code)] ?? PLAIN
})

export function textClass(codes: Uint16Array, at: number): number {
  const code = codes[at]!
  if (code < 128) return ASCII_TEXT[code]!
  return code < 0xD800 ? PLAIN : highClass(codes, at, code)
}

function highClass(codes: Uint16Array, at: number, code: number): number {
  if (code <= 0xDBFF) return (codes[at + 1]! & 0xFC00) === 0xDC00 ? PLAIN : FORBIDDEN
  if (code <= 0xDFFF) return (codes[at - 1]! & 0xFC00) === 0xD800 ? PLAIN : FORBIDDEN
  return code >= 0xFFFE ? FORBIDDEN : PLAIN
}

let spare: Buffer | null = null
/** Larger than nearly every document; a rare longer one gets its own. */
const SPARE_CODES = 64 * 1024

/**
 * Lends the text's UTF-16 codes, ended by a 0: reading numbers from an array is half again as fast as charCodeAt.
 * The array is used again for the next document, so it must not be kept.
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

const ENTITIES = new Map([['amp', '&'], ['lt', '<'], ['gt', '>'], ['quot', '"'], ['apos', '\'']])
const REFERENCE_FORM = /&(?:#([0-9]+)|#x([0-9a-fA-F]+)|([A-Za-z_:][\w:.-]*));/y

/** Resolves `&amp;` and the like and numeric references. `fail` gets the problem and the index of the `&` in `raw`. */
export function expandReferences(raw: string, fail: (problem: string, index: number) => never): string {
  let out = ''
  let from = 0
  for (let at = raw.indexOf('&'); at !== -1; at = raw.indexOf('&', from)) {
    REFERENCE_FORM.lastIndex = at
    const match = REFERENCE_FORM.exec(raw)
    if (!match) fail('"&" that begins no entity or character reference', at)
    out += raw.slice(from, at) + resolve(match, at, fail)
    from = REFERENCE_FORM.lastIndex
  }
  return out + raw.slice(from)
}

function resolve(match: RegExpExecArray, at: number, fail: (problem: string, index: number) => never): string {
  const [reference, decimal, hexadecimal, name] = match
  if (name !== undefined) return ENTITIES.get(name) ?? fail(`unknown entity ${reference.slice(0, 40)}`, at)
  const code = decimal === undefined ? parseInt(hexadecimal!, 16) : parseInt(decimal, 10)
  const character = code <= 0x10FFFF ? String.fromCodePoint(code) : '\0'
  if (!ILLEGAL.test(character)) return character
  return fail(`reference ${reference.slice(0, 40)} to a character XML forbids`, at)
}
