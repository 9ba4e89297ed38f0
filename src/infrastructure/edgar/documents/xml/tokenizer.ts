// A strict, event-based XML 1.0 tokenizer: one pass over the text, no tree, no entity table, no DTD. Our own because
// ownership documents need nothing more, and it takes less than half of saxes' time; saxes remains the reference:
// whatever is accepted here it accepts too, with the same events (a test compares both).
import {
  ASCII_NAME,
  BRACKET,
  FORBIDDEN,
  ILLEGAL,
  NAME,
  PLAIN,
  REFERENCE,
  TAG,
  expandReferences,
  textClass,
  withCodes,
} from './characters.ts'

export interface XmlEvents {
  /** A start tag, or an empty one (then `close` follows at once). `attributes` is null where there are none. */
  open(name: string, attributes: ReadonlyMap<string, string> | null): void
  /** Character data, references resolved. White space alone between two tags is not reported. */
  text(text: string): void
  close(name: string): void
}

/** Not well-formed, or beyond a limit. The message names line, offset (in UTF-16 codes, from 0) and element. */
export class XmlError extends Error {
  readonly line: number
  readonly offset: number

  constructor(problem: string, xml: string, offset: number, element: string | undefined) {
    let line = 1
    for (let at = xml.indexOf('\n'); at !== -1 && at < offset; at = xml.indexOf('\n', at + 1)) line++
    super(`line ${line}, offset ${offset}${element === undefined ? '' : `, in <${element}>`}: ${problem}`)
    this.line = line
    this.offset = offset
  }
}

/** The largest real document known has 64 kB, 7 levels and one attribute per element. */
export const XML_LIMITS = {
  characters: 1024 * 1024,
  depth: 32,
  attributes: 32,
  attributeCharacters: 8192,
  nameCharacters: 256,
}

const DECLARATION = new RegExp(
  '<\\?xml[ \\t\\n]+version[ \\t\\n]*=[ \\t\\n]*(?:"1\\.0"|\'1\\.0\')' +
    '(?:[ \\t\\n]+encoding[ \\t\\n]*=[ \\t\\n]*(?:"[A-Za-z][\\w.-]*"|\'[A-Za-z][\\w.-]*\'))?' +
    '(?:[ \\t\\n]+standalone[ \\t\\n]*=[ \\t\\n]*(?:"(?:yes|no)"|\'(?:yes|no)\'))?[ \\t\\n]*\\?>',
  'y',
)

const SPACE = 32,
  NEWLINE = 10,
  TAB = 9,
  CARRIAGE_RETURN = 13
const BANG = 33,
  SLASH = 47,
  LESS = 60,
  EQUALS = 61,
  GREATER = 62,
  QUESTION = 63,
  QUOTE = 34,
  APOSTROPHE = 39
const BYTE_ORDER_MARK = 0xfeff

/**
 * Reads one complete document into `events`. Throws XmlError at the first error: events reported before it are void.
 */
export function tokenizeXml(xml: string, events: XmlEvents): void {
  if (xml.length > XML_LIMITS.characters) {
    throw new XmlError(`longer than ${XML_LIMITS.characters} characters`, '', 0, undefined)
  }
  const body = xml.charCodeAt(0) === BYTE_ORDER_MARK ? xml.slice(1) : xml
  const text = body.includes('\r') ? withNewlines(body) : body
  withCodes(text, (codes) => new Tokenizer(text, codes, events).run())
}

/**
 * Replaces carriage returns in place: a text replacement over a megabyte of them would use forty times as much
 * memory.
 */
function withNewlines(text: string): string {
  const buffer = Buffer.allocUnsafeSlow(2 * text.length)
  buffer.write(text, 'utf16le')
  const codes = new Uint16Array(buffer.buffer)
  let length = 0
  for (let at = 0; at < codes.length; at++) {
    const isReturn = codes[at] === CARRIAGE_RETURN
    codes[length++] = isReturn ? NEWLINE : codes[at]!
    if (isReturn && codes[at + 1] === NEWLINE) at++
  }
  return buffer.toString('utf16le', 0, 2 * length)
}

class Tokenizer {
  private readonly xml: string
  private readonly codes: Uint16Array
  private readonly events: XmlEvents
  private readonly path: string[] = []
  private at = 0
  private rootSeen = false

  constructor(xml: string, codes: Uint16Array, events: XmlEvents) {
    this.xml = xml
    this.codes = codes
    this.events = events
  }

  run(): void {
    const {
      codes,
      xml: { length },
    } = this
    if (/^<\?xml[ \t\n]/.test(this.xml)) this.declaration()
    let afterTag = true
    while (this.at < length) {
      if (codes[this.at] !== LESS) {
        this.text(afterTag)
        continue
      }
      const next = codes[this.at + 1]!
      afterTag = isTag(next)
      if (next === SLASH) this.closeTag()
      else if (afterTag) this.openTag()
      else if (next === BANG) this.bang()
      else this.instruction()
    }
    if (this.path.length > 0) this.fail('the document ends before the element is closed')
    if (!this.rootSeen) this.fail('no element at all')
  }

  private fail(problem: string, offset = this.at): never {
    throw new XmlError(problem, this.xml, offset, this.path.at(-1))
  }

  private declaration(): void {
    DECLARATION.lastIndex = 0
    if (!DECLARATION.test(this.xml)) this.fail('the XML declaration is malformed, or its version is not 1.0')
    this.at = DECLARATION.lastIndex
  }

  private text(afterTag: boolean): void {
    const { codes, at } = this
    const start = skipSpace(codes, at)
    if (this.path.length === 0) {
      if (start < this.xml.length && codes[start] !== LESS) this.fail('text outside the root element', start)
      this.at = start
    } else if (afterTag && codes[start] === LESS && isTag(codes[start + 1]!)) {
      this.at = start
    } else {
      this.characters(at, start)
    }
  }

  private characters(from: number, start: number): void {
    const { codes, xml } = this
    let hasReference = false
    let end = start
    for (; ; end++) {
      const kind = textClass(codes, end)
      if (kind === PLAIN) continue
      if (kind === TAG || end === xml.length) break
      if (kind === REFERENCE) hasReference = true
      else if (kind === FORBIDDEN) this.fail(forbidden(xml, end), end)
      else if (kind === BRACKET && xml.startsWith(']]>', end)) this.fail('"]]>" in text', end)
    }
    this.at = end
    const raw = xml.slice(from, end)
    this.events.text(hasReference ? this.expand(raw, from) : raw)
  }

  private expand(raw: string, from: number): string {
    return expandReferences(raw, (problem, index) => this.fail(problem, from + index))
  }

  private openTag(): void {
    const { codes, path } = this
    const name = this.name(this.at + 1)
    if (path.length === 0 && this.rootSeen) this.fail(`a second root element, <${name}>`)
    if (path.length === XML_LIMITS.depth) this.fail(`more than ${XML_LIMITS.depth} levels`)
    this.rootSeen = true
    this.at += 1 + name.length
    this.events.open(name, codes[this.at] === GREATER ? null : this.attributes(name))
    if (codes[this.at] === SLASH) {
      this.at += 2
      this.events.close(name)
    } else {
      this.at++
      path.push(name)
    }
  }

  /** Reads attributes; leaves `at` on the `>`, or on the `/` of `/>`. */
  private attributes(element: string): Map<string, string> | null {
    const { codes, xml } = this
    let attributes: Map<string, string> | null = null
    for (;;) {
      const start = skipSpace(codes, this.at)
      const spaced = start > this.at
      this.at = start
      if (codes[start] === GREATER || (codes[start] === SLASH && codes[start + 1] === GREATER)) return attributes
      if (start === xml.length) this.fail(`the document ends inside the tag <${element}>`)
      if (!spaced) this.fail(`unexpected ${JSON.stringify(xml[start])} in the tag <${element}>`)
      this.attribute((attributes ??= new Map()), element)
    }
  }

  private attribute(attributes: Map<string, string>, element: string): void {
    const { codes, xml } = this
    const name = this.name(this.at)
    if (attributes.has(name)) this.fail(`attribute ${name} twice in the tag <${element}>`)
    if (attributes.size === XML_LIMITS.attributes) this.fail(`more than ${XML_LIMITS.attributes} attributes`)
    const equals = skipSpace(codes, this.at + name.length)
    const open = codes[equals] === EQUALS ? skipSpace(codes, equals + 1) : equals
    const quote = codes[open]
    if ((quote !== QUOTE && quote !== APOSTROPHE) || open === equals) this.fail(`attribute ${name} has no quoted value`)
    const end = xml.indexOf(quote === QUOTE ? '"' : "'", open + 1)
    if (end === -1) this.fail(`attribute ${name} of <${element}> is not closed`)
    if (end - open > XML_LIMITS.attributeCharacters) this.fail(`attribute ${name} of <${element}> is too long`)
    attributes.set(name, this.attributeValue(xml.slice(open + 1, end), open + 1))
    this.at = end + 1
  }

  private attributeValue(raw: string, from: number): string {
    if (/^\w*$/.test(raw)) return raw
    const bad = raw.search(ILLEGAL)
    if (bad !== -1) this.fail(forbidden(raw, bad), from + bad)
    if (raw.includes('<')) this.fail('"<" in an attribute value', from + raw.indexOf('<'))
    const value = raw.replace(/[\t\n]/g, ' ')
    return value.includes('&') ? this.expand(value, from) : value
  }

  private closeTag(): void {
    const { codes, path } = this
    const expected = path[path.length - 1]
    const start = this.at + 2
    if (expected === undefined || !matches(codes, start, expected)) return this.mismatch()
    const end = skipSpace(codes, start + expected.length)
    if (codes[end] !== GREATER) return this.mismatch()
    path.pop()
    this.at = end + 1
    this.events.close(expected)
  }

  private mismatch(): never {
    const found = this.xml.slice(this.at, this.at + 80).split(/(?<=>)/)[0]
    this.fail(`${JSON.stringify(found)} where ${this.path.length > 0 ? `</${this.path.at(-1)}>` : 'nothing'} was due`)
  }

  /**
   * Reads a name. Distinct names are few: each is interned, so that it need not be sliced and hashed for every
   * element.
   */
  private name(start: number): string {
    const { codes } = this
    let hash = 0
    let end = start
    for (; codes[end]! < 128 && ASCII_NAME[codes[end]!] === 1; end++) {
      hash = (hash * 31 + codes[end]!) & (KEPT_NAMES - 1)
    }
    if (codes[end]! >= 128 || end - start > KEPT_LENGTH || !isLetter(codes[start]!)) return this.unusualName(start)
    const kept = keptNames[hash]!
    if (kept.length === end - start && matches(codes, start, kept)) return kept
    return (keptNames[hash] = copy(this.xml.slice(start, end)))
  }

  private unusualName(start: number): string {
    NAME.lastIndex = start
    if (!NAME.test(this.xml)) {
      const atEnd = start >= this.xml.length
      this.fail(atEnd ? 'the document ends inside a tag' : '"<" or a space without a proper name after it')
    }
    if (NAME.lastIndex - start > XML_LIMITS.nameCharacters) this.fail('a name that is too long')
    return this.xml.slice(start, NAME.lastIndex)
  }

  private bang(): void {
    const { xml, at } = this
    if (xml.startsWith('<!--', at)) return this.comment()
    if (xml.startsWith('<!DOCTYPE', at)) this.fail('a DOCTYPE, which no ownership document has, is refused')
    if (!xml.startsWith('<![CDATA[', at) || this.path.length === 0) this.fail('"<!" that opens nothing allowed here')
    const end = this.legalUntil(']]>', at + 9, 'a CDATA section')
    this.events.text(xml.slice(at + 9, end))
    this.at = end + 3
  }

  private comment(): void {
    const end = this.legalUntil('--', this.at + 4, 'a comment')
    if (this.codes[end + 2] !== GREATER) this.fail('"--" inside a comment', end)
    this.at = end + 3
  }

  private instruction(): void {
    const target = this.name(this.at + 2)
    if (target.toLowerCase() === 'xml') this.fail('an XML declaration that is not at the very start')
    const after = this.at + 2 + target.length
    const end = this.legalUntil('?>', after, 'a processing instruction')
    if (end !== after && skipSpace(this.codes, after) === after) this.fail('a malformed processing instruction')
    this.at = end + 2
  }

  private legalUntil(close: string, from: number, what: string): number {
    const end = this.xml.indexOf(close, from)
    if (end === -1) this.fail(`${what} is not closed`)
    const bad = this.xml.slice(from, end).search(ILLEGAL)
    if (bad !== -1) this.fail(forbidden(this.xml, from + bad), from + bad)
    return end
  }
}

const KEPT_NAMES = 512
const KEPT_LENGTH = 64
const keptNames: string[] = Array.from({ length: KEPT_NAMES }, () => '')

/** Copies a slice, which would keep its whole document in memory. */
function copy(ascii: string): string {
  return Buffer.from(ascii, 'latin1').toString('latin1')
}

function matches(codes: Uint16Array, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if (codes[start + index] !== name.charCodeAt(index)) return false
  }
  return true
}

/** Skips white space, up to the terminating 0. */
function skipSpace(codes: Uint16Array, from: number): number {
  let at = from
  while (codes[at] === SPACE || codes[at] === NEWLINE || codes[at] === TAB) at++
  return at
}

/** Returns whether `<` and this begin a start or end tag, or what should be one. */
function isTag(code: number): boolean {
  return code !== BANG && code !== QUESTION
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122
}

function forbidden(xml: string, at: number): string {
  return `character U+${xml.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')} is not allowed in XML`
}
