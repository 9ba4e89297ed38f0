// Parses XML 1.0 by saxes into events, within limits. No tree, no DTD, no entities but the five of XML.
import { SaxesParser } from 'saxes'

export interface XmlEvents {
  /** Called for a start tag, also an empty one, which `close` follows at once. */
  open(name: string, attributes: Readonly<Record<string, string>>): void
  /** Called for character data, references resolved. A text may come in several pieces. */
  text(text: string): void
  close(): void
}

/** Not well-formed, or beyond a limit. The message names line and element. */
export class XmlError extends Error {}

/** The largest real document known has 64 kB, 7 levels and one attribute per element. */
export const XML_LIMITS = {
  characters: 1024 * 1024,
  depth: 32,
  attributes: 32,
  attributeCharacters: 8192,
  nameCharacters: 256,
}

// saxes looks entities up in a plain object, where `&toString;` would find a function.
const INHERITED = Object.getOwnPropertyNames(Object.prototype)
const NO_ENTITIES = Object.fromEntries(INHERITED.map((name) => [name, { value: undefined }]))

/**
 * Passes the events of one complete document to `events`. Throws XmlError at the first fault: events before it are
 * void.
 */
export function parseXml(xml: string, events: XmlEvents, { characters } = XML_LIMITS): void {
  if (xml.length > characters) throw new XmlError(`longer than ${characters} characters`)
  if (!xml.isWellFormed()) throw new XmlError('half of a surrogate pair')
  const parser = new SaxesParser({ xmlns: false, forceXMLVersion: true, defaultXMLVersion: '1.0' })
  Object.defineProperties(parser.ENTITIES, NO_ENTITIES)
  const path: string[] = []
  let attributes = 0
  const fail = (problem: string, line = parser.line): never => {
    throw new XmlError(`line ${line}${path.length === 0 ? '' : `, in <${path.at(-1)}>`}: ${problem}`)
  }
  parser.on('error', ({ message }) => {
    // The usual fault, which saxes finds at the next ";" or at the end.
    const before = xml.slice(0, parser.position)
    const bare = before.search(/&(?!#?\w+;)/)
    if (bare >= 0) fail('"&" that begins no reference', before.slice(0, bare).split('\n').length)
    fail(message.replace(/^\d+:\d+: |\.$/g, ''))
  })
  parser.on('xmldecl', ({ version }) => {
    if (version !== '1.0') fail('the XML version is not 1.0')
  })
  parser.on('doctype', () => fail('a DOCTYPE, which no ownership document has, is refused'))
  parser.on('opentagstart', ({ name }) => {
    if (name.length > XML_LIMITS.nameCharacters) fail('a name that is too long')
    if (path.length === XML_LIMITS.depth) fail(`more than ${XML_LIMITS.depth} levels`)
    path.push(name)
    attributes = 0
  })
  parser.on('attribute', ({ name, value }) => {
    if (++attributes > XML_LIMITS.attributes) fail(`more than ${XML_LIMITS.attributes} attributes`)
    if (name.length > XML_LIMITS.nameCharacters || value.length > XML_LIMITS.attributeCharacters)
      fail('an attribute that is too long')
  })
  parser.on('opentag', (tag) => events.open(tag.name, tag.attributes))
  parser.on('text', (text) => events.text(text))
  parser.on('cdata', (text) => events.text(text))
  parser.on('closetag', () => {
    path.pop()
    events.close()
  })
  parser.write(xml).close()
}
