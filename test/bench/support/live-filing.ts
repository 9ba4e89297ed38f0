// Filings of the moment for a running service, of one transaction each.
import { newYork } from '../../support/edgar/simulator/new-york.ts'
import { submissionText } from '../../support/filings/filing-builder.ts'

export interface FiledCompany {
  cik: string
  ticker: string
  name: string
}

/** Takes its first part from the clock, so that a kept store has none of these accession numbers. */
export function accessionOf(number: number): string {
  const agent = String(9_000_000 + (Math.floor(Date.now() / 1_000) % 900_000)).padStart(10, '0')
  return `${agent}-26-${String(number).padStart(6, '0')}`
}

/** The owner differs with the number, so that no filing repeats the transaction of another. */
export function documentOf(accession: string, number: number, { cik, ticker, name }: FiledCompany): string {
  const { date, stamp } = newYork(Date.now())
  return submissionText({
    accession,
    acceptedAt: stamp,
    issuer: { cik, name, tickerRaw: ticker },
    owners: [{ cik: String(9_700_000 + number).padStart(10, '0'), isDirector: true }],
    rows: [{ date, shares: String(100 + (number % 1_000)), price: '25.5' }],
  })
}
