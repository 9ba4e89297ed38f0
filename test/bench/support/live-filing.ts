// Filings of the moment for a running service, one transaction each, whose numbers a kept store has not seen.
import { newYork } from '../../support/edgar/simulator/new-york.ts'
import { submissionText } from '../../support/filings/filing-builder.ts'

export interface FiledCompany {
  cik: string
  ticker: string
  name: string
}

/** Numbers of one second of the clock, so that a kept store has none of them. */
export function accessionOf(number: number): string {
  const agent = String(9_000_000 + (Math.floor(Date.now() / 1_000) % 900_000)).padStart(10, '0')
  return `${agent}-26-${String(number).padStart(6, '0')}`
}

export function documentOf(accession: string, { cik, ticker, name }: FiledCompany): string {
  const { date, stamp } = newYork(Date.now())
  return submissionText({
    accession,
    acceptedAt: stamp,
    issuer: { cik, name, tickerRaw: ticker },
    owners: [{ cik: String(9_700_000 + Number(accession.slice(-3))).padStart(10, '0'), isDirector: true }],
    rows: [{ date, shares: String(100 + Number(accession.slice(-3))), price: '25.5' }],
  })
}
