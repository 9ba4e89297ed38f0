// What EDGAR's JSON of a company's submissions says of the company itself.
import { cikNumber, type Cik } from '../../domain/identifiers.ts'
import { parseSic } from '../../domain/sectors.ts'
import { UnexpectedContent } from './content.ts'

export const submissionsPath = (cik: Cik): string => `submissions/CIK${cik}.json`

/** The SIC code, or null where there is none. Throws UnexpectedContent where the text is not that company's submissions. */
export function parseSubmissions(bytes: Buffer, cik: Cik): string | null {
  const text = bytes.toString('utf8')
  const company = objectOf(text)
  if (company === null || Number(company.cik) !== cikNumber(cik)) throw new UnexpectedContent(`submissions of ${cik}`, text)
  return typeof company.sic === 'string' || typeof company.sic === 'number' ? parseSic(String(company.sic)) : null
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value as Record<string, unknown> : null
  } catch {
    return null
  }
}
