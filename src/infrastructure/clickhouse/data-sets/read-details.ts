// Reads the stored JSON text of a data set's filing, and converts the lines of the SEC's files to a filing's contents.
import type { FilingContent, FilingDetails } from '../../../application/queries/filings/filing-answer.ts'
import type { DataSetFiling } from '../../../application/ports/data-sets.ts'
import type { Cell, DerivativeRow, NonDerivativeRow, ReportingOwner } from '../../../domain/filings/filing.ts'
import { parseCik } from '../../../domain/shared/identifiers.ts'
import type { CONTENT } from './detail-columns.ts'

/** A line of a file; columns that are empty are left out. */
export type Line = { file: keyof typeof CONTENT } & Partial<Record<string, string>>

interface Stored {
  basis: string
  complete: boolean
  lines: Line[]
}

type FilingKey = Pick<DataSetFiling, 'accession' | 'form' | 'issuerCik'>

/** Returns the filing's details from the stored text. */
export function toFilingDetails(filing: FilingKey, text: string): FilingDetails {
  const { basis, complete, lines } = JSON.parse(text) as Stored
  return { ...toContent(filing, lines), filedBasis: basis, complete }
}

/** Returns the text that is stored of a filing; `lines` are JSON objects, joined by commas. */
export const detailsText = (basis: string, complete: boolean, lines: string): string =>
  `{"basis":${JSON.stringify(basis)},"complete":${complete},"lines":[${lines}]}`

/** Returns what the lines say, with the surrogate keys of the rows of Table I. */
export function toContent(filing: FilingKey, lines: Line[]): Pick<FilingDetails, 'content' | 'keys'> {
  const of = (...files: Line['file'][]) => lines.filter(({ file }) => files.includes(file))
  const tableOne = of('NONDERIV_TRANS', 'NONDERIV_HOLDING')
  const [submission] = of('SUBMISSION')
  const content: FilingContent = {
    accession: filing.accession,
    formType: filing.form,
    schemaVersion: null,
    periodOfReport: submission?.PERIOD_OF_REPORT ?? null,
    dateOfOriginalSubmission: submission?.DATE_OF_ORIG_SUB ?? null,
    noSecuritiesOwned: flag(submission?.NO_SECURITIES_OWNED),
    notSubjectToSection16: flag(submission?.NOT_SUBJECT_SEC16),
    aff10b5One: flag(submission?.AFF10B5ONE),
    issuer: {
      cik: filing.issuerCik,
      name: submission?.ISSUERNAME ?? '',
      tickerRaw: submission?.ISSUERTRADINGSYMBOL ?? '',
      foreignTickerRaw: null,
    },
    owners: of('REPORTINGOWNER').map(owner),
    nonDerivative: tableOne.map(tableOneRow),
    derivative: of('DERIV_TRANS', 'DERIV_HOLDING').map(tableTwoRow),
    footnotes: of('FOOTNOTES').map((line) => ({ id: line.FOOTNOTE_ID!, text: line.FOOTNOTE_TXT ?? '' })),
    remarks: submission?.REMARKS ?? null,
    signatures: of('OWNER_SIGNATURE').map((line) => ({
      name: line.OWNERSIGNATURENAME ?? '',
      date: line.OWNERSIGNATUREDATE ?? null,
    })),
  }
  const keys = tableOne.map((line) => (line.NONDERIV_TRANS_SK === undefined ? null : Number(line.NONDERIV_TRANS_SK)))
  return { content, keys }
}

function owner(line: Line): ReportingOwner {
  const boxes = (line.RPTOWNER_RELATIONSHIP ?? '').toLowerCase().split(',')
  const has = (box: string) => boxes.some((each) => each.trim() === box)
  return {
    cik: parseCik(line.RPTOWNERCIK!)!,
    name: line.RPTOWNERNAME ?? '',
    isDirector: has('director'),
    isOfficer: has('officer'),
    isTenPercentOwner: has('tenpercentowner'),
    isOther: has('other'),
    officerTitle: line.RPTOWNER_TITLE ?? null,
    otherText: line.RPTOWNER_TXT ?? null,
  }
}

function tableOneRow(line: Line): FilingContent['nonDerivative'][number] {
  return {
    kind: line.file.endsWith('_TRANS') ? 'transaction' : 'holding',
    securityTitle: line.SECURITY_TITLE ?? '',
    date: line.TRANS_DATE ?? null,
    deemedExecutionDate: line.DEEMED_EXECUTION_DATE ?? null,
    formType: line.TRANS_FORM_TYPE ?? null,
    code: line.TRANS_CODE ?? null,
    equitySwap: flag(line.EQUITY_SWAP_INVOLVED),
    timeliness: line.TRANS_TIMELINESS ?? null,
    shares: line.TRANS_SHARES ?? null,
    price: line.TRANS_PRICEPERSHARE ?? null,
    acquiredDisposed: letter(line.TRANS_ACQUIRED_DISP_CD, ['A', 'D']),
    sharesAfter: line.SHRS_OWND_FOLWNG_TRANS ?? null,
    valueAfter: line.VALU_OWND_FOLWNG_TRANS ?? null,
    directIndirect: letter(line.DIRECT_INDIRECT_OWNERSHIP, ['D', 'I']),
    nature: line.NATURE_OF_OWNERSHIP ?? null,
    cells: footnotesOf(line),
  } satisfies Partial<NonDerivativeRow>
}

function tableTwoRow(line: Line): FilingContent['derivative'][number] {
  return {
    ...tableOneRow(line),
    totalValue: line.TRANS_TOTAL_VALUE ?? null,
    conversionPrice: line.CONV_EXERCISE_PRICE ?? null,
    exerciseDate: line.EXCERCISE_DATE ?? line.EXERCISE_DATE ?? null,
    expirationDate: line.EXPIRATION_DATE ?? null,
    underlyingTitle: line.UNDLYNG_SEC_TITLE ?? null,
    underlyingShares: line.UNDLYNG_SEC_SHARES ?? null,
    underlyingValue: line.UNDLYNG_SEC_VALUE ?? null,
  } satisfies Partial<DerivativeRow>
}

/** The cell of each footnote column. Footnotes of the swap are about the whole coding, so they go to the code. */
const CELLS: Readonly<Record<string, Cell>> = {
  SECURITY_TITLE_FN: 'securityTitle',
  CONV_EXERCISE_PRICE_FN: 'conversionPrice',
  TRANS_DATE_FN: 'tradeDate',
  DEEMED_EXECUTION_DATE_FN: 'deemedExecutionDate',
  TRANS_FORM_TYPE_FN: 'transactionFormType',
  EQUITY_SWAP_TRANS_CD_FN: 'transactionCode',
  EQUITY_SWAP_INVOLVED_FN: 'transactionCode',
  TRANS_TIMELINESS_FN: 'timeliness',
  TRANS_SHARES_FN: 'shares',
  TRANS_TOTAL_VALUE_FN: 'totalValue',
  TRANS_PRICEPERSHARE_FN: 'pricePerShare',
  TRANS_ACQUIRED_DISP_CD_FN: 'acquiredDisposed',
  EXCERCISE_DATE_FN: 'exerciseDate',
  EXERCISE_DATE_FN: 'exerciseDate',
  EXPIRATION_DATE_FN: 'expirationDate',
  UNDLYNG_SEC_TITLE_FN: 'underlyingTitle',
  UNDLYNG_SEC_SHARES_FN: 'underlyingShares',
  UNDLYNG_SEC_VALUE_FN: 'underlyingValue',
  SHRS_OWND_FOLWNG_TRANS_FN: 'sharesOwnedAfter',
  VALU_OWND_FOLWNG_TRANS_FN: 'valueOwnedAfter',
  DIRECT_INDIRECT_OWNERSHIP_FN: 'ownership',
  NATURE_OF_OWNERSHIP_FN: 'natureOfOwnership',
}

function footnotesOf(line: Line): Partial<Record<Cell, string[]>> {
  const found: Partial<Record<Cell, string[]>> = {}
  for (const [column, ids] of Object.entries(line)) {
    const cell = CELLS[column]
    const own = cell && ids?.match(/F[0-9]{1,4}/g)
    if (own) found[cell] = [...new Set([...(found[cell] ?? []), ...own])]
  }
  return found
}

function flag(text: string | undefined): boolean | null {
  switch (text?.toLowerCase()) {
    case '1':
    case 'true':
      return true
    case '0':
    case 'false':
      return false
    default:
      return null
  }
}

function letter<T extends string>(text: string | undefined, allowed: readonly T[]): T | null {
  return allowed.find((each) => each === text?.toUpperCase()) ?? null
}
