// The getcurrent Atom feed, as a real page of 12 December 2025 has it line by line: one entry per party, so that each
// filing stands there at least twice, and whatever other form's name begins like the one asked for.
import { newYork } from './new-york.ts'
import type { Party, Published } from './published.ts'

/** More entries than this a page never has, whatever `count` says. */
export const PAGE_CAP = 100
/** The last start that is answered; the real feed answered 5100 with a 503. */
export const LAST_START = 5000

export interface FeedEntry {
  filing: Published
  party: Party
}

/** Entries of a filing. The owner mostly comes first; in about one of six the issuer does. */
export function entriesOf(filing: Published): FeedEntry[] {
  const parties = Number(filing.accession.slice(-6)) % 6 === 5 ? [...filing.parties].reverse() : filing.parties
  return parties.map((party) => ({ filing, party }))
}

/** `type` is a prefix; `owner=only` leaves Forms 3, 4 and 5, `owner=exclude` all but these. */
export function isAsked(filing: Published, type: string, owner: string): boolean {
  const ownership = /^[345](\/A)?$/.test(filing.formType)
  const byOwner = owner === 'only' ? ownership : owner === 'exclude' ? !ownership : true
  return byOwner && filing.formType.startsWith(type.toUpperCase())
}

/** Latin-1 bytes. `linksTo` is the host that links name. */
export function feedPage(entries: FeedEntry[], now: number, linksTo: string): Buffer {
  const { weekday, date, month, time, zone, offset } = newYork(now)
  const clock = `${weekday}, ${date.slice(8)} ${month} ${date.slice(0, 4)} ${time} ${zone}`
  const self = '/cgi-bin/browse-edgar?action=getcurrent'
  return Buffer.from(
    [
      '<?xml version="1.0" encoding="ISO-8859-1" ?>',
      '<feed xmlns="http://www.w3.org/2005/Atom">',
      `<title>Latest Filings - ${clock}</title>`,
      `<link rel="alternate" href="${self}"/>`,
      `<link rel="self" href="${self}"/>`,
      `<id>https://www.sec.gov${self}</id>`,
      '<author><name>Webmaster</name><email>webmaster@sec.gov</email></author>',
      `<updated>${date}T${time}${offset}</updated>`,
      ...entries.map((entry) => entryText(entry, linksTo)),
      '</feed>',
      '',
    ].join('\n'),
    'latin1',
  )
}

function entryText({ filing, party }: FeedEntry, linksTo: string): string {
  const { accession, formType } = filing
  const accepted = newYork(filing.acceptedAt)
  const filed = filing.filedAsOf.replace(/(....)(..)(..)/, '$1-$2-$3')
  const size = sizeText(filing.bytes)
  const folder = `${linksTo}/Archives/edgar/data/${Number(party.cik)}/${accession.replaceAll('-', '')}`
  return [
    '<entry>',
    `<title>${formType} - ${escape(party.name)} (${party.cik}) (${party.role})</title>`,
    `<link rel="alternate" type="text/html" href="${folder}/${accession}-index.htm"/>`,
    '<summary type="html">',
    ` &lt;b&gt;Filed:&lt;/b&gt; ${filed} &lt;b&gt;AccNo:&lt;/b&gt; ${accession} &lt;b&gt;Size:&lt;/b&gt; ${size}`,
    '</summary>',
    `<updated>${accepted.date}T${accepted.time}${accepted.offset}</updated>`,
    `<category scheme="https://www.sec.gov/" label="form type" term="${formType}"/>`,
    `<id>urn:tag:sec.gov,2008:accession-number=${accession}</id>`,
    '</entry>',
  ].join('\n')
}

function sizeText(bytes: number): string {
  const megabytes = bytes / 1024 / 1024
  return megabytes >= 1 ? `${Math.round(megabytes)} MB` : `${Math.max(1, Math.round(bytes / 1024))} KB`
}

/** What Latin-1 does not have goes as a number. */
function escape(name: string): string {
  return name
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replace(/[^\x20-\xFF]/gu, (character) => `&#${character.codePointAt(0)};`)
}
