// Filings of the past days that have much to say about each other, without end: of few companies and few people, with
// amendments, the same event in filings of two owners, bare documents that a submission replaces, other copies of a
// document, old documents, and trades large and many enough for signals.
import { addDays } from '../../../../src/domain/shared/calendar.ts'
import {
  disseminationText,
  ownershipXml,
  submissionText,
  type FilingSpec,
  type RowSpec,
} from '../../filings/filing-builder.ts'
import { newYork } from '../simulator/new-york.ts'
import { hashOf, seeded } from './seeded.ts'

export interface DocumentText {
  path: string
  bytes: Buffer
}

const ISSUERS = Array.from({ length: 6 }, (_, number) => ({
  cik: String(9_990_001 + number).padStart(10, '0'),
  name: `Example Copies ${number} Inc`,
}))
const OWNERS = [
  { isOfficer: true, officerTitle: 'CEO' },
  { isOfficer: true, officerTitle: 'CFO' },
  { isDirector: true },
  { isDirector: true },
  { isTenPercentOwner: true },
].map((roles, index) => ({ cik: String(9_990_101 + index).padStart(10, '0'), name: `SAMPLE COPY ${index}`, ...roles }))
const DAY_MS = 86_400_000

/** Returns documents in the order in which they come; a seed decides all but the time that they end at. */
export function correctedFilings(seed: number): (count: number) => DocumentText[] {
  const chance = seeded(hashOf('corrected', seed))
  const of = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!
  const begun = Date.now()
  const made: FilingSpec[] = []
  const dayBefore = (days: number) => newYork(begun - days * DAY_MS).date
  const row = (): RowSpec => {
    const isBought = chance() < 0.6
    return {
      code: isBought ? 'P' : 'S',
      acquiredDisposed: isBought ? 'A' : 'D',
      date: dayBefore(12 + Math.floor(chance() * 3)),
      shares: of(['100', '900', '2500', '60000']),
      price: of(['10', '20', '20.5', '900000']),
      sharesAfter: '100000',
      directIndirect: of(['D', 'D', 'I']),
    }
  }
  const next = (): FilingSpec => {
    const number = made.length + 1
    const accession = `0009990001-26-${String(number).padStart(6, '0')}`
    const model = made.length > 0 && chance() < 0.4 ? of(made.slice(-20)) : null
    const days = chance() < 0.08 ? 60 : chance() * 10
    const { stamp, date } = newYork(begun - days * DAY_MS - number * 1_000)
    const spec: FilingSpec = {
      accession,
      acceptedAt: stamp,
      signatures: [{ date }],
      issuer: { ...of(ISSUERS), tickerRaw: of(['EXCO', 'EXCO', 'EXCP', 'NONE']) },
      owners: [of(OWNERS)],
      rows: Array.from({ length: of([1, 1, 2, 3]) }, row),
    }
    if (!model) return spec
    const filed = newYork(begun).date
    const repeated = { ...spec, issuer: model.issuer!, rows: model.rows! }
    if (chance() < 0.3) return { ...repeated, owners: [OWNERS[4]!] }
    const rows = model.rows!.map((each) => (chance() < 0.5 ? each : { ...each, shares: '1234' })).slice(of([0, 0, 1]))
    const original = model.signatures![0]!.date!
    const dateOfOriginalSubmission = chance() < 0.9 ? original : addDays(filed, -3)
    return {
      ...repeated,
      acceptedAt: newYork(begun - number * 1_000).stamp,
      owners: model.owners!,
      formType: '4/A',
      dateOfOriginalSubmission,
      rows: rows.length > 0 ? rows : model.rows!,
    }
  }
  /** Without a place in EDGAR a document has a number of its own until its submission comes. */
  const earlierCopies = (spec: FilingSpec): DocumentText[] => {
    const other = { ...spec, rows: [...spec.rows!.slice(of([0, 1])), row()] }
    const kind = chance()
    if (kind < 0.1) return [toDocument(`ownership${made.length}.xml`, ownershipXml(spec))]
    if (kind < 0.2) return [toDocument(`${spec.accession}.xml`, ownershipXml(other))]
    if (kind < 0.3) return [toDocument(`${spec.accession}.nc`, disseminationText(other))]
    return []
  }
  const waiting: DocumentText[] = []
  return (count) => {
    while (waiting.length < count) {
      const spec = next()
      made.push(spec)
      waiting.push(...earlierCopies(spec))
      if (chance() < 0.9) waiting.push(toDocument(`${spec.accession}.txt`, submissionText(spec)))
    }
    return waiting.splice(0, count)
  }
}

const toDocument = (path: string, text: string): DocumentText => ({ path, bytes: Buffer.from(text) })
