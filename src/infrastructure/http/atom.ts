// Writes Atom 1.0 feeds (RFC 4287), with all text escaped.

export interface AtomFeed {
  /** The id without its authority. Readers recognise the feed by it, so it must never change. */
  id: string
  title: string
  links: AtomLink[]
  entries: AtomEntry[]
}

export interface AtomEntry {
  id: string
  title: string
  /** `YYYY-MM-DDThh:mm:ssZ`. */
  updated: string
  summary: string
  categories: string[]
  /** One of them is the `alternate`. */
  links: AtomLink[]
}

export interface AtomLink {
  rel: 'self' | 'alternate' | 'related' | 'next'
  href: string
}

export const ATOM_TYPE = 'application/atom+xml; charset=utf-8'
/** The time of a feed without entries: fixed, so that the answer and its ETag do not change. */
const NEVER = '1970-01-01T00:00:00Z'
const AUTHORITY = 'tag:insider-trading-data-service,2026:'

export function atomXml({ id, title, links, entries }: AtomFeed): string {
  const updated = entries.reduce((newest, entry) => (entry.updated > newest ? entry.updated : newest), NEVER)
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    element('id', AUTHORITY + id),
    element('title', title),
    element('updated', updated),
    `<author>${element('name', 'Insider Trading Data Service')}</author>`,
    ...links.map(linkXml),
    ...entries.map(entryXml),
    '</feed>\n',
  ].join('\n')
}

const entryXml = ({ id, title, updated, summary, categories, links }: AtomEntry): string =>
  [
    '<entry>',
    element('id', AUTHORITY + id),
    element('title', title),
    element('updated', updated),
    element('summary', summary),
    ...categories.map((term) => `<category term="${escaped(term)}"/>`),
    ...links.map(linkXml),
    '</entry>',
  ].join('\n')

const element = (name: string, text: string): string => `<${name}>${escaped(text)}</${name}>`

const linkXml = ({ rel, href }: AtomLink): string => `<link rel="${rel}" href="${escaped(href)}"/>`

/** Characters that XML 1.0 does not allow, halves of surrogate pairs among them. */
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

const escaped = (text: string): string =>
  text.replace(NOT_XML, '\ufffd').replace(/[&<>"\r]/g, (character) => ENTITIES[character]!)
