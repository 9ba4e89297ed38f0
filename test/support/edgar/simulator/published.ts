// A full submission's text -> what EDGAR's feed and indexes say about it. Read from the SGML header with a few plain
// patterns, not with the service's reader, which is tested against the outcome.
import { gunzipSync, gzipSync } from 'node:zlib'
import { atNewYork } from './new-york.ts'

export interface Party {
  /** Ten digits. */
  cik: string
  name: string
  /** As the feed's titles put it. */
  role: 'Reporting' | 'Issuer' | 'Filer' | 'Subject' | 'Filed by'
}

export interface Published {
  accession: string
  /** Such as `4`, `4/A` or `424B2`. */
  formType: string
  /** Milliseconds since 1970. */
  acceptedAt: number
  /** From when feed and archive have it: acceptance, or publication where that was later. Milliseconds since 1970. */
  shownFrom: number
  /** `YYYYMMDD`. */
  filedAsOf: string
  period: string | null
  sic: string | null
  /** In the header's order: owners before the issuer. */
  parties: Party[]
  bytes: number
  /** The text, kept compressed: a demonstration that runs for a day publishes 100,000 of them. */
  zipped: Buffer
}

const ROLES: Record<string, Party['role']> = {
  'REPORTING-OWNER': 'Reporting',
  ISSUER: 'Issuer',
  FILER: 'Filer',
  'SUBJECT COMPANY': 'Subject',
  'FILED BY': 'Filed by',
}

/** `now` is the moment of publication. Throws where the text has no header that EDGAR could have written. */
export function publishedOf(text: string | Buffer, now: number): Published {
  const body = Buffer.from(text)
  const head = body.toString('utf8').split('</SEC-HEADER>')[0]!
  const field = (label: string): string | null => after(head, label)
  const accession = field('ACCESSION NUMBER:')
  const stamp = field('<ACCEPTANCE-DATETIME>')
  const formType = field('CONFORMED SUBMISSION TYPE:')
  if (!accession || !stamp || !formType) throw new Error('not a full submission with accession, acceptance and type')
  const issuer = head.split(/^ISSUER:/m)[1] ?? ''
  const acceptedAt = atNewYork(stamp)
  const period = /<periodOfReport>([\d-]{10})/.exec(body.toString('latin1'))?.[1] ?? null
  return {
    accession,
    formType,
    acceptedAt,
    shownFrom: Math.max(acceptedAt, now),
    period,
    filedAsOf: field('FILED AS OF DATE:') ?? stamp.slice(0, 8),
    sic: after(issuer, 'STANDARD INDUSTRIAL CLASSIFICATION:'),
    parties: partiesOf(head),
    bytes: body.length,
    zipped: gzipSync(body, { level: 1 }),
  }
}

export function textOf(published: Published): Buffer {
  return gunzipSync(published.zipped)
}

/** One per block, a CIK once per role. */
function partiesOf(head: string): Party[] {
  const blocks = head.split(/^(REPORTING-OWNER|ISSUER|FILER|SUBJECT COMPANY|FILED BY):\s*$/m)
  const found = new Map<string, Party>()
  for (let at = 1; at + 1 < blocks.length; at += 2) {
    const role = ROLES[blocks[at]!]!
    const cik = after(blocks[at + 1]!, 'CENTRAL INDEX KEY:')?.padStart(10, '0')
    const name = after(blocks[at + 1]!, 'COMPANY CONFORMED NAME:')
    if (cik && name) found.set(`${role} ${cik}`, { cik, name, role })
  }
  return [...found.values()]
}

function after(text: string, label: string): string | null {
  return new RegExp(`^[\\t ]*${label}[\\t ]*(\\S.*?)\\s*$`, 'm').exec(text)?.[1] ?? null
}
