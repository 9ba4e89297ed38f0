// Parses EDGAR's JSON of a company's submissions (`CIK##########.json`) for the company's SIC code.
import { cikNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import { parseSic } from '../../../domain/filings/sector.ts'
import { UnexpectedContent } from '../response-content.ts'

export const submissionsPath = (cik: Cik): string => `submissions/CIK${cik}.json`

/** Returns the SIC code, null if there is none. Throws UnexpectedContent if the text is not that company's. */
export function parseSubmissions(bytes: Buffer, cik: Cik): string | null {
  const text = bytes.toString('utf8')
  const company = objectOf(text)
  const isIts = company !== null && Number(company.cik) === cikNumber(cik)
  if (!isIts) throw new UnexpectedContent(`submissions of ${cik}`, text)
  const { sic } = company
  return typeof sic === 'string' || typeof sic === 'number' ? parseSic(String(sic)) : null
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
