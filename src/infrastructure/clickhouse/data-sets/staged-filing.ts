// Makes filings of the staged lines of a data set: as a reader of documents returns them, as far as data sets show
// them.
import type { StagedFiling } from '../../../application/ports/data-sets.ts'
import type { Cell, Filing, FormType } from '../../../domain/filings/filing.ts'
import { isRealDate } from '../../../domain/shared/calendar.ts'
import { cikOf, type AccessionNumber } from '../../../domain/shared/identifiers.ts'
import type { Quarter } from '../../../domain/shared/quarter.ts'
import { parseRows } from '../connection/answer-shape.ts'
import { toContent, type Line } from './read-details.ts'

/** The columns of a staged filing, in the order of `SelectedRow`. */
export const STAGED_COLUMNS =
  'quarter, accession, form, issuer_cik, filed_day, row_count, has_details, complete, line_count, content'

type SelectedRow = [
  quarter: Quarter,
  accession: AccessionNumber,
  form: FormType,
  issuer: number,
  filedDay: string,
  rowCount: number,
  hasDetails: boolean,
  complete: boolean,
  lineCount: number,
  content: string,
]

export const stagedFilings = (staged: Uint8Array): StagedFiling[] => parseRows<SelectedRow>(staged).map(stagedFiling)

function stagedFiling([quarter, accession, form, issuer, filedDay, rowCount, ...rest]: SelectedRow): StagedFiling {
  const [hasDetails, complete, lineCount, content] = rest
  return {
    ...{ quarter, accession, form, rowCount },
    details: hasDetails ? shortened({ complete, lineCount, content }) : null,
    read: () => toFiling({ accession, form, issuer, filedDay, content }),
    lines: () => {
      const files = (JSON.parse(`[${content}]`) as Line[]).map(({ file }) => file)
      return Object.fromEntries([...Map.groupBy(files, (file) => file)].map(([file, all]) => [file, all.length]))
    },
  }
}

export interface StagedRow {
  accession: AccessionNumber
  form: FormType
  issuer: number
  /** FILING_DATE, or empty. */
  filedDay: string
  content: string
}

/** Returns the filing, and the keys of its transactions in Table I. */
export function toFiling({ accession, form, issuer, filedDay, content: text }: StagedRow): {
  filing: Filing
  keys: number[]
} {
  const lines = JSON.parse(`[${text}]`) as Line[]
  const { content, keys } = toContent({ accession, form, issuerCik: cikOf(issuer) }, lines)
  const { dateOfOriginalSubmission, nonDerivative, derivative } = content
  const filing: Filing = {
    ...content,
    kind: 'bare',
    repaired: false,
    periodRaw: null,
    dateOfOriginalSubmission: form.endsWith('/A') ? dateOfOriginalSubmission : null,
    header: isRealDate(filedDay)
      ? { acceptedAt: null, filedAsOf: filedDay.replaceAll('-', ''), documentCount: null, sic: null, office: null }
      : null,
    nonDerivative: nonDerivative.map((row) => ({
      ...row,
      table: 'nonDerivative',
      dateRaw: null,
      footnotes: footnotesOf(row.cells),
    })),
    derivative: derivative.map((row) => ({
      ...row,
      table: 'derivative',
      dateRaw: null,
      footnotes: footnotesOf(row.cells),
      derivativeFootnotes: { conversionPrice: [], exerciseDate: [], expirationDate: [] },
    })),
  }
  return { filing, keys: keys.filter((key) => key !== null) }
}

function footnotesOf(cells: Partial<Record<Cell, string[]>>): Filing['nonDerivative'][number]['footnotes'] {
  return { all: [...new Set(Object.values(cells).flat())], coding: [], price: cells.pricePerShare ?? [], nature: [] }
}

/** The most lines that are stored for one filing, far more than real filings have. */
const MAX_LINES = 2_000

/** Returns what is stored of a filing's lines. */
function shortened({ complete, lineCount, content }: { complete: boolean; lineCount: number; content: string }): {
  complete: boolean
  lines: string
} {
  if (lineCount <= MAX_LINES) return { complete, lines: content }
  const lines = JSON.parse(`[${content}]`) as Line[]
  const first = lines.slice(0, MAX_LINES).map((line) => JSON.stringify(line))
  return { complete: false, lines: first.join(',') }
}
