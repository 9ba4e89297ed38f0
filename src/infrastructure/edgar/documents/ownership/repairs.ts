// Repairs of documents of EDGAR's first years with XML, which it did not check as it does now. Each undoes known faults
// and leaves every other to the parser, so that a document broken in another way stays refused.

/** `&` with what would be the name of its reference, or a whole tag. From a "<" without end nothing is taken. */
const AMPERSAND_OR_TAG = /&([#\p{L}\p{N}_.:-]*)(;?)|<[^<>]*>/gu
/** A tag with a name, then a word that is no attribute, since it has no value. */
const TAG_WITH_WORD = /^<(\/?)([A-Za-z][\w.-]*)\s+([\w.-]+)\s*(\/?)>$/
const REFERENCES = ['amp', 'lt', 'gt', 'quot', 'apos']

/**
 * Escapes each "&" of a text that begins no reference, and drops the repeated end of a tag's name, as in
 * `<nonDerivativeTable ativeTable>`. An "&" that may be a reference without its semicolon, or to an entity that is not
 * declared, stays, and so does one inside a tag. Returns null where nothing is to be repaired, and for documents with
 * comments, CDATA or instructions, in which "&" and "<" mean something else.
 */
export function mended(xml: string): string | null {
  const declaration = /^<\?xml[^<>]*\?>/.exec(xml)?.[0] ?? ''
  const body = xml.slice(declaration.length)
  if (/<[!?]/.test(body)) return null
  const repaired = body.replace(AMPERSAND_OR_TAG, (found: string, name?: string, end?: string) =>
    name === undefined ? withoutRepeatedEnd(found) : end === '' && isBare(name) ? `&amp;${name}` : found,
  )
  return repaired === body ? null : declaration + repaired
}

/** HTML also takes references without a semicolon, in the middle of a word or in capitals. */
function isBare(name: string): boolean {
  if (name.startsWith('#') || REFERENCES.includes(name.toLowerCase())) return false
  return !REFERENCES.some((reference) => name.startsWith(reference))
}

function withoutRepeatedEnd(tag: string): string {
  const [, slash, name, word, isEmpty] = TAG_WITH_WORD.exec(tag) ?? []
  return name?.endsWith(word!) ? `<${slash}${name}${isEmpty}>` : tag
}

/**
 * Undoes the line breaks of some documents of 2003, which were cut into lines of one width, through names and values
 * alike: every line of exactly that width is joined to the next. That can't repair a document broken in another way.
 * Returns null if nothing was cut.
 */
export function unwrapped(xml: string): string | null {
  let [width, lines] = [0, 0]
  eachLine(xml, (start, end) => {
    if (end - start === width) lines += 1
    else if (end - start > width) [width, lines] = [end - start, 1]
  })
  if (width < 72 || lines < 2) return null
  const parts: string[] = []
  let from = 0
  eachLine(xml, (start, end, next) => {
    if (end - start !== width) return
    parts.push(xml.slice(from, end))
    from = next
  })
  return parts.join('') + xml.slice(from)
}

/** `end` is the end of the line, `next` the start of the next. */
function eachLine(text: string, visit: (start: number, end: number, next: number) => void): void {
  for (let start = 0; start < text.length;) {
    let end = start
    while (end < text.length && text.charCodeAt(end) !== 10 && text.charCodeAt(end) !== 13) end += 1
    const next = end + (text.charCodeAt(end) === 13 && text.charCodeAt(end + 1) === 10 ? 2 : 1)
    visit(start, end, next)
    start = next
  }
}
