// Filings of other forms, as `type=4` brings them along (424B2, 497, 40-APP/A, 425 and so on) and as only the indexes
// have them (8-K, Form 3, Form 144): what a follower must skip, or read as what it is.
import { submissionText } from '../../filings/filing-builder.ts'
import { noticeSubmission } from '../../notices/notice-builder.ts'
import { filingDay, inventedAccession, type Invention } from './filings.ts'
import { INVENTED_COMPANIES } from './world.ts'
import { newYork } from '../simulator/new-york.ts'
import { hashOf, seeded } from './seeded.ts'

/** Header blocks by form; weights as counted over 5,100 entries of one evening, roughly. */
const FORMS: [form: string, blocks: string[], weight: number][] = [
  ['424B2', ['FILER', 'FILER'], 40],
  ['497', ['FILER'], 8],
  ['497K', ['FILER'], 8],
  ['485BPOS', ['FILER'], 5],
  ['424B5', ['FILER'], 6],
  ['424B3', ['FILER'], 6],
  ['425', ['SUBJECT COMPANY', 'FILED BY'], 6],
  ['40-APP/A', ['FILER', 'FILER', 'FILER'], 4],
  ['40-17G', ['FILER'], 2],
  ['8-K', ['FILER'], 6],
  ['144', [], 4],
  ['3', [], 5],
]

export interface OtherFiling {
  accession: string
  form: string
  text: string
}

/** `number` from 1, counted apart from Form 4s. */
export function inventedOther(number: number, { seed = 1, acceptedAt }: Invention): OtherFiling {
  const chance = seeded(hashOf(seed, 'other', number))
  let left = chance() * 100
  const [form, blocks] = FORMS.find(([, , weight]) => (left -= weight) < 0) ?? FORMS[0]!
  const filed = filingDay(acceptedAt(number))
  const accession = inventedAccession(number, 'other', seed, filed)
  const stamp = newYork(acceptedAt(number)).stamp
  if (form === '144') return { accession, form, text: plannedSale(accession, stamp, filed, chance()) }
  if (form === '3') return { accession, form, text: initialStatement(accession, stamp, filed, chance()) }
  // One in twenty is larger than a megabyte, as the feed's sizes show.
  const body = '<HTML><BODY>Nothing of this is so.</BODY></HTML>\n'.repeat(chance() < 0.05 ? 24_000 : 200)
  const day = filed.replaceAll('-', '')
  const header = [
    `<SEC-DOCUMENT>${accession}.txt : ${day}`,
    `<SEC-HEADER>${accession}.hdr.sgml : ${day}`,
    `<ACCEPTANCE-DATETIME>${stamp}`,
    `ACCESSION NUMBER:\t\t${accession}`,
    `CONFORMED SUBMISSION TYPE:\t${form}`,
    'PUBLIC DOCUMENT COUNT:\t\t1',
    `FILED AS OF DATE:\t\t${day}`,
    `DATE AS OF CHANGE:\t\t${day}`,
    '',
    ...blocks.map((block) => party(block, form, chance())),
    '</SEC-HEADER>',
    '<DOCUMENT>',
    `<TYPE>${form}`,
    '<SEQUENCE>1',
    '<FILENAME>document.htm',
    '<TEXT>',
  ]
  const text = `${header.join('\n')}\n${body}</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n`
  return { accession, form, text }
}

function party(block: string, form: string, chance: number): string {
  const { cik, name } = INVENTED_COMPANIES[Math.floor(chance * INVENTED_COMPANIES.length)]!
  return (
    `${block}:\t\t\n\n\tCOMPANY DATA:\t\n\t\tCOMPANY CONFORMED NAME:\t\t\t${name}\n` +
    `\t\tCENTRAL INDEX KEY:\t\t\t${cik}\n\n\tFILING VALUES:\n\t\tFORM TYPE:\t\t${form}\n`
  )
}

/** One that no sale follows. */
function plannedSale(accession: string, acceptedAt: string, filed: string, chance: number): string {
  const { cik, name, insiders, price } = INVENTED_COMPANIES[Math.floor(chance * INVENTED_COMPANIES.length)]!
  const seller = insiders.at(-1)!
  return noticeSubmission({
    accession,
    acceptedAt,
    filedAsOf: filed.replaceAll('-', ''),
    issuer: { cik, name },
    seller: { cik: seller.cik, name: seller.name, relationships: ['Director'] },
    lines: [{ units: 5_000, marketValue: (5_000 * price).toFixed(2), saleDate: filed }],
  })
}

function initialStatement(accession: string, acceptedAt: string, filed: string, chance: number): string {
  const { cik, name, ticker, insiders } = INVENTED_COMPANIES[Math.floor(chance * INVENTED_COMPANIES.length)]!
  const { cik: ownerCik, name: ownerName } = insiders.at(-1)!
  return submissionText({
    accession,
    acceptedAt,
    filedAsOf: filed.replaceAll('-', ''),
    formType: '3',
    schemaVersion: 'X0206',
    periodOfReport: filed,
    issuer: { cik, name, tickerRaw: ticker },
    owners: [{ cik: ownerCik, name: ownerName, isDirector: true }],
    rows: [{ kind: 'holding', sharesAfter: '1200' }],
    signatures: [{ date: filed }],
  })
}
