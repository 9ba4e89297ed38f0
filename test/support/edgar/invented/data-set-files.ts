// The SEC's insider transactions data set of a quarter, of filings of our own: eight tables as text, and their zip.
// The set says less than the filings: no order of rows, two decimal places, no acceptance time; so tests can show that
// both ways of coming by a filing agree as far as they can. Names and limits are those of FORM_345_metadata.json, but
// for two that the files themselves have: SUBMISSION leaves the contacts out, and EQUITY_SWAP_INVOLVED_FN is called
// EQUITY_SWAP_TRANS_CD_FN.
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { parseDecimal, round, toText } from '../../../../src/domain/shared/decimal.ts'
import type { Cell, DerivativeRow, Filing, NonDerivativeRow } from '../../../../src/domain/filings/filing.ts'
import { hashOf, seeded } from './seeded.ts'
import type { DateText, DecimalText } from '../../../../src/domain/shared/identifiers.ts'

/** In the order in which the zip has them. */
export const TABLE_NAMES = [
  'DERIV_HOLDING',
  'DERIV_TRANS',
  'FOOTNOTES',
  'NONDERIV_HOLDING',
  'NONDERIV_TRANS',
  'OWNER_SIGNATURE',
  'REPORTINGOWNER',
  'SUBMISSION',
] as const
export type TableName = (typeof TABLE_NAMES)[number]
export type Tables = Record<TableName, string>

/** `plain`: text as it is, whatever it holds. `doubled`: text with a `"` stands in quotes, each `"` in it twice. */
export type Quotes = 'plain' | 'doubled'

export interface DataSetOptions {
  /** The last column of SUBMISSION, which earlier quarters lack. Default false. */
  aff10b5One?: boolean
  /** Decides the order of lines, surrogate keys, and how flags are spelled. Default 1. */
  seed?: number
  /** Default `doubled`, as in the SEC's own files of 2024 Q3. */
  quotes?: Quotes
}

export interface Column {
  name: string
  /** Characters; Infinity for dates and numbers. */
  longest: number
}

/** Numbers are maxLength; without one: dates, numbers and surrogate keys, and each `_FN`, which holds 255. */
const TYPED: Record<TableName, string> = {
  DERIV_HOLDING: `ACCESSION_NUMBER:25 DERIV_HOLDING_SK SECURITY_TITLE:100 SECURITY_TITLE_FN
    CONV_EXERCISE_PRICE CONV_EXERCISE_PRICE_FN TRANS_FORM_TYPE:10 TRANS_FORM_TYPE_FN EXERCISE_DATE EXERCISE_DATE_FN
    EXPIRATION_DATE EXPIRATION_DATE_FN UNDLYNG_SEC_TITLE:100 UNDLYNG_SEC_TITLE_FN UNDLYNG_SEC_SHARES
    UNDLYNG_SEC_SHARES_FN UNDLYNG_SEC_VALUE UNDLYNG_SEC_VALUE_FN SHRS_OWND_FOLWNG_TRANS SHRS_OWND_FOLWNG_TRANS_FN
    VALU_OWND_FOLWNG_TRANS VALU_OWND_FOLWNG_TRANS_FN DIRECT_INDIRECT_OWNERSHIP:25 DIRECT_INDIRECT_OWNERSHIP_FN
    NATURE_OF_OWNERSHIP:100 NATURE_OF_OWNERSHIP_FN`,
  DERIV_TRANS: `ACCESSION_NUMBER:25 DERIV_TRANS_SK SECURITY_TITLE:100 SECURITY_TITLE_FN CONV_EXERCISE_PRICE
    CONV_EXERCISE_PRICE_FN TRANS_DATE TRANS_DATE_FN DEEMED_EXECUTION_DATE DEEMED_EXECUTION_DATE_FN TRANS_FORM_TYPE:10
    TRANS_CODE:10 EQUITY_SWAP_INVOLVED:25 EQUITY_SWAP_TRANS_CD_FN TRANS_TIMELINESS:10 TRANS_TIMELINESS_FN
    TRANS_SHARES TRANS_SHARES_FN TRANS_TOTAL_VALUE TRANS_TOTAL_VALUE_FN TRANS_PRICEPERSHARE TRANS_PRICEPERSHARE_FN
    TRANS_ACQUIRED_DISP_CD:10 TRANS_ACQUIRED_DISP_CD_FN EXCERCISE_DATE EXCERCISE_DATE_FN EXPIRATION_DATE
    EXPIRATION_DATE_FN UNDLYNG_SEC_TITLE:100 UNDLYNG_SEC_TITLE_FN UNDLYNG_SEC_SHARES UNDLYNG_SEC_SHARES_FN
    UNDLYNG_SEC_VALUE UNDLYNG_SEC_VALUE_FN SHRS_OWND_FOLWNG_TRANS SHRS_OWND_FOLWNG_TRANS_FN VALU_OWND_FOLWNG_TRANS
    VALU_OWND_FOLWNG_TRANS_FN DIRECT_INDIRECT_OWNERSHIP:25 DIRECT_INDIRECT_OWNERSHIP_FN NATURE_OF_OWNERSHIP:100
    NATURE_OF_OWNERSHIP_FN`,
  FOOTNOTES: 'ACCESSION_NUMBER:25 FOOTNOTE_ID:10 FOOTNOTE_TXT:4000',
  NONDERIV_HOLDING: `ACCESSION_NUMBER:25 NONDERIV_HOLDING_SK SECURITY_TITLE:100 SECURITY_TITLE_FN TRANS_FORM_TYPE:10
    TRANS_FORM_TYPE_FN SHRS_OWND_FOLWNG_TRANS SHRS_OWND_FOLWNG_TRANS_FN VALU_OWND_FOLWNG_TRANS
    VALU_OWND_FOLWNG_TRANS_FN DIRECT_INDIRECT_OWNERSHIP:25 DIRECT_INDIRECT_OWNERSHIP_FN NATURE_OF_OWNERSHIP:100
    NATURE_OF_OWNERSHIP_FN`,
  NONDERIV_TRANS: `ACCESSION_NUMBER:25 NONDERIV_TRANS_SK SECURITY_TITLE:100 SECURITY_TITLE_FN:300 TRANS_DATE
    TRANS_DATE_FN DEEMED_EXECUTION_DATE DEEMED_EXECUTION_DATE_FN TRANS_FORM_TYPE:10 TRANS_CODE:10
    EQUITY_SWAP_INVOLVED:25 EQUITY_SWAP_TRANS_CD_FN TRANS_TIMELINESS:10 TRANS_TIMELINESS_FN TRANS_SHARES
    TRANS_SHARES_FN TRANS_PRICEPERSHARE TRANS_PRICEPERSHARE_FN TRANS_ACQUIRED_DISP_CD:10 TRANS_ACQUIRED_DISP_CD_FN
    SHRS_OWND_FOLWNG_TRANS SHRS_OWND_FOLWNG_TRANS_FN VALU_OWND_FOLWNG_TRANS VALU_OWND_FOLWNG_TRANS_FN
    DIRECT_INDIRECT_OWNERSHIP:25 DIRECT_INDIRECT_OWNERSHIP_FN NATURE_OF_OWNERSHIP:100 NATURE_OF_OWNERSHIP_FN`,
  OWNER_SIGNATURE: 'ACCESSION_NUMBER:25 OWNERSIGNATURENAME:255 OWNERSIGNATUREDATE',
  REPORTINGOWNER: `ACCESSION_NUMBER:25 RPTOWNERCIK:10 RPTOWNERNAME:255 RPTOWNER_RELATIONSHIP:100 RPTOWNER_TITLE:255
    RPTOWNER_TXT:100 RPTOWNER_STREET1:255 RPTOWNER_STREET2:255 RPTOWNER_CITY:255 RPTOWNER_STATE:2
    RPTOWNER_ZIPCODE:10 RPTOWNER_STATE_DESC:255 FILE_NUMBER:30`,
  SUBMISSION: `ACCESSION_NUMBER:25 FILING_DATE PERIOD_OF_REPORT DATE_OF_ORIG_SUB NO_SECURITIES_OWNED:10
    NOT_SUBJECT_SEC16:25 FORM3_HOLDINGS_REPORTED:10 FORM4_TRANS_REPORTED:10 DOCUMENT_TYPE:20 ISSUERCIK:10
    ISSUERNAME:255 ISSUERTRADINGSYMBOL:10 REMARKS:4000 AFF10B5ONE:10`,
}

const COLUMNS = eachTable((table) =>
  TYPED[table].split(/\s+/).map((typed): Column => {
    const [name = '', longest] = typed.split(':')
    return { name, longest: longest ? Number(longest) : name.endsWith('_FN') ? 255 : Infinity }
  }),
)

/** Filings come with no address. */
const ADDRESS = {
  RPTOWNER_STREET1: '1 EXAMPLE STREET',
  RPTOWNER_CITY: 'SAMPLEVILLE',
  RPTOWNER_STATE: 'NY',
  RPTOWNER_ZIPCODE: '00000',
  FILE_NUMBER: '001-99999',
}

type Cells = Record<string, string | null>
type Row = NonDerivativeRow | DerivativeRow

export function eachTable<T>(make: (table: TableName) => T): Record<TableName, T> {
  return Object.fromEntries(TABLE_NAMES.map((table) => [table, make(table)])) as Record<TableName, T>
}

export function columnsOf(table: TableName, aff10b5One: boolean): readonly Column[] {
  return aff10b5One ? COLUMNS[table] : COLUMNS[table].filter(({ name }) => name !== 'AFF10B5ONE')
}

/** Without the line's end. */
export function headerOf(table: TableName, aff10b5One: boolean): string {
  return columnsOf(table, aff10b5One)
    .map(({ name }) => name)
    .join('\t')
}

/** The eight texts of these filings, each with its header line and LF at every line's end. */
export function dataSetOf(filings: Filing[], options: DataSetOptions = {}): Tables {
  const { aff10b5One = false, seed = 1, quotes = 'doubled' } = options
  const chance = seeded(hashOf(seed, 'data set'))
  const lines = eachTable((): string[] => [])
  const write = (table: TableName, cells: Cells) => {
    lines[table].push(lineOf(columnsOf(table, aff10b5One), { AFF10B5ONE: null, ...cells }, quotes))
  }
  const keys = surrogateKeys(chance)
  for (const filing of filings) writeFiling(filing, spelling(chance() < 0.8), keys, write)
  return eachTable((table) => `${[headerOf(table, aff10b5One), ...shuffle(lines[table], chance)].join('\n')}\n`)
}

/** `<quarter>_form345.zip` in `folder`; `quarter` such as `2024q3`. Answers its path. */
export async function writeDataSet(folder: string, quarter: string, tables: Tables): Promise<string> {
  const zip = new ZipFile()
  for (const table of TABLE_NAMES) zip.addBuffer(Buffer.from(tables[table]), `${table}.tsv`, ZIPPED)
  return await writeZip(folder, quarter, zip)
}

/** The same times in every run, so that the same set is the same bytes. */
export const ZIPPED = { mtime: new Date(Date.UTC(2024, 9, 1)), mode: 0o100644 }

export async function writeZip(folder: string, quarter: string, zip: ZipFile): Promise<string> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${quarter}_form345.zip`)
  const failed = new Promise<never>((_, reject) => zip.on('error', reject))
  zip.end()
  await Promise.race([pipeline(zip.outputStream, createWriteStream(path)), failed])
  return path
}

type Spelling = (flag: boolean | null) => string
type Write = (table: TableName, cells: Cells) => void

/** Filers' software writes flags one way or the other, the whole document through. */
function spelling(digits: boolean): Spelling {
  return (flag) => (flag === null ? '' : digits ? String(Number(flag)) : String(flag))
}

function writeFiling(filing: Filing, spell: Spelling, keys: (count: number) => number[], write: Write): void {
  const ACCESSION_NUMBER = filing.accession
  write('SUBMISSION', { ACCESSION_NUMBER, ...submission(filing, spell) })
  for (const owner of filing.owners) {
    const boxes = [
      owner.isDirector && 'Director',
      owner.isOfficer && 'Officer',
      owner.isTenPercentOwner && 'TenPercentOwner',
      owner.isOther && 'Other',
    ]
    write('REPORTINGOWNER', {
      ACCESSION_NUMBER,
      RPTOWNERCIK: owner.cik,
      RPTOWNERNAME: owner.name,
      RPTOWNER_RELATIONSHIP: boxes.filter(Boolean).join(','),
      RPTOWNER_TITLE: owner.officerTitle,
      RPTOWNER_TXT: owner.otherText,
      ...ADDRESS,
    })
  }
  const writeRows = (table: TableName, rows: Row[], cellsOf: (row: Row, spell: Spelling) => Cells) => {
    for (const [index, key] of keys(rows.length).entries()) {
      write(table, { ACCESSION_NUMBER, [`${table}_SK`]: String(key), ...cellsOf(rows[index]!, spell) })
    }
  }
  const { transaction: trades = [], holding: held = [] } = Object.groupBy(filing.nonDerivative, ({ kind }) => kind)
  const { transaction = [], holding = [] } = Object.groupBy(filing.derivative, ({ kind }) => kind)
  writeRows('NONDERIV_TRANS', trades, transactionCells)
  writeRows('NONDERIV_HOLDING', held, holdingCells)
  writeRows('DERIV_TRANS', transaction, transactionCells)
  writeRows('DERIV_HOLDING', holding, holdingCells)
  for (const { id, text } of filing.footnotes) {
    write('FOOTNOTES', { ACCESSION_NUMBER, FOOTNOTE_ID: id, FOOTNOTE_TXT: text })
  }
  for (const { name, date } of filing.signatures) {
    write('OWNER_SIGNATURE', { ACCESSION_NUMBER, OWNERSIGNATURENAME: name, OWNERSIGNATUREDATE: dataSetDate(date) })
  }
}

function submission(filing: Filing, spell: Spelling): Cells {
  const { issuer, header } = filing
  const filed = header?.filedAsOf ?? header?.acceptedAt?.slice(0, 8) ?? null
  const rows = [...filing.nonDerivative, ...filing.derivative]
  // Only on Form 5, and there EDGAR derives both from the rows.
  const derived = (form: string) => (filing.formType.startsWith('5') ? rows.some((row) => row.formType === form) : null)
  return {
    FILING_DATE: dataSetDate(filed && `${filed.slice(0, 4)}-${filed.slice(4, 6)}-${filed.slice(6)}`),
    PERIOD_OF_REPORT: dataSetDate(filing.periodOfReport),
    DATE_OF_ORIG_SUB: dataSetDate(filing.dateOfOriginalSubmission),
    NO_SECURITIES_OWNED: spelling(true)(filing.noSecuritiesOwned),
    NOT_SUBJECT_SEC16: spell(filing.notSubjectToSection16),
    FORM3_HOLDINGS_REPORTED: spelling(true)(derived('3')),
    FORM4_TRANS_REPORTED: spelling(true)(derived('4')),
    DOCUMENT_TYPE: filing.formType,
    ISSUERCIK: issuer.cik,
    ISSUERNAME: issuer.name,
    ISSUERTRADINGSYMBOL: issuer.tickerRaw,
    REMARKS: filing.remarks,
    AFF10B5ONE: spell(filing.aff10b5One),
  }
}

function transactionCells(row: Row, spell: Spelling): Cells {
  return {
    ...heldCells(row),
    TRANS_DATE: dataSetDate(row.date),
    DEEMED_EXECUTION_DATE: dataSetDate(row.deemedExecutionDate),
    TRANS_CODE: row.code,
    EQUITY_SWAP_INVOLVED: spell(row.equitySwap),
    TRANS_TIMELINESS: row.timeliness,
    TRANS_SHARES: dataSetNumber(row.shares),
    TRANS_PRICEPERSHARE: dataSetNumber(row.price),
    TRANS_ACQUIRED_DISP_CD: row.acquiredDisposed,
    ...(row.table === 'derivative'
      ? { TRANS_TOTAL_VALUE: dataSetNumber(row.totalValue), EXCERCISE_DATE: dataSetDate(row.exerciseDate) }
      : {}),
  }
}

function holdingCells(row: Row): Cells {
  return { ...heldCells(row), ...(row.table === 'derivative' ? { EXERCISE_DATE: dataSetDate(row.exerciseDate) } : {}) }
}

/** What transactions and holdings share. */
function heldCells(row: Row): Cells {
  const derivative = row.table === 'derivative' ? row : null
  return {
    SECURITY_TITLE: row.securityTitle,
    TRANS_FORM_TYPE: row.formType,
    SHRS_OWND_FOLWNG_TRANS: dataSetNumber(row.sharesAfter),
    VALU_OWND_FOLWNG_TRANS: dataSetNumber(row.valueAfter),
    DIRECT_INDIRECT_OWNERSHIP: row.directIndirect,
    NATURE_OF_OWNERSHIP: row.nature,
    ...Object.fromEntries([...notesByColumn(row)].map(([name, ids]) => [name, ids.join(', ')])),
    ...(derivative && {
      CONV_EXERCISE_PRICE: dataSetNumber(derivative.conversionPrice),
      EXPIRATION_DATE: dataSetDate(derivative.expirationDate),
      UNDLYNG_SEC_TITLE: derivative.underlyingTitle,
      UNDLYNG_SEC_SHARES: dataSetNumber(derivative.underlyingShares),
      UNDLYNG_SEC_VALUE: dataSetNumber(derivative.underlyingValue),
    }),
  }
}

const NOTED: Readonly<Record<Cell, string>> = {
  row: 'SECURITY_TITLE_FN',
  securityTitle: 'SECURITY_TITLE_FN',
  conversionPrice: 'CONV_EXERCISE_PRICE_FN',
  tradeDate: 'TRANS_DATE_FN',
  deemedExecutionDate: 'DEEMED_EXECUTION_DATE_FN',
  transactionFormType: 'EQUITY_SWAP_TRANS_CD_FN',
  transactionCode: 'EQUITY_SWAP_TRANS_CD_FN',
  equitySwap: 'EQUITY_SWAP_TRANS_CD_FN',
  timeliness: 'TRANS_TIMELINESS_FN',
  shares: 'TRANS_SHARES_FN',
  pricePerShare: 'TRANS_PRICEPERSHARE_FN',
  totalValue: 'TRANS_TOTAL_VALUE_FN',
  acquiredDisposed: 'TRANS_ACQUIRED_DISP_CD_FN',
  exerciseDate: 'EXCERCISE_DATE_FN',
  expirationDate: 'EXPIRATION_DATE_FN',
  underlyingTitle: 'UNDLYNG_SEC_TITLE_FN',
  underlyingShares: 'UNDLYNG_SEC_SHARES_FN',
  underlyingValue: 'UNDLYNG_SEC_VALUE_FN',
  sharesOwnedAfter: 'SHRS_OWND_FOLWNG_TRANS_FN',
  valueOwnedAfter: 'VALU_OWND_FOLWNG_TRANS_FN',
  ownership: 'DIRECT_INDIRECT_OWNERSHIP_FN',
  natureOfOwnership: 'NATURE_OF_OWNERSHIP_FN',
}

/** Where a cell has no column, its notes stand with the title. */
function notesByColumn(row: Row): Map<string, string[]> {
  const known = new Set(COLUMNS[tableOf(row)].map(({ name }) => name))
  const found = new Map<string, string[]>()
  for (const [cell, ids] of Object.entries(row.cells) as [Cell, string[]][]) {
    const column = columnOfNotes(row, cell)
    const name = known.has(column) ? column : NOTED.row
    found.set(name, [...new Set([...(found.get(name) ?? []), ...ids])])
  }
  return found
}

/** Holdings have no coding, and a date that is spelled right. */
function columnOfNotes(row: Row, cell: Cell): string {
  if (row.kind === 'transaction') return NOTED[cell]
  if (NOTED[cell] === 'EQUITY_SWAP_TRANS_CD_FN') return 'TRANS_FORM_TYPE_FN'
  return cell === 'exerciseDate' ? 'EXERCISE_DATE_FN' : NOTED[cell]
}

function tableOf(row: Row): TableName {
  const kind = row.kind === 'transaction' ? 'TRANS' : 'HOLDING'
  return row.table === 'derivative' ? `DERIV_${kind}` : `NONDERIV_${kind}`
}

function lineOf(columns: readonly Column[], cells: Cells, quotes: Quotes): string {
  const line = columns.map(({ name, longest }) => {
    const text = (cells[name] ?? '').replace(/\r\n|[\t\r\n]/g, ' ')
    return dataSetText(text.length > longest ? [...text].slice(0, longest).join('') : text, quotes)
  })
  const unknown = Object.keys(cells).find(
    (name) => name !== 'AFF10B5ONE' && columns.every((each) => each.name !== name),
  )
  if (unknown) throw new Error(`no column ${unknown}`)
  return line.join('\t')
}

export function dataSetText(text: string, quotes: Quotes): string {
  return quotes === 'doubled' && text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

/** `31-JUL-2024`; empty for null. */
export function dataSetDate(date: DateText | null): string {
  return date === null ? '' : `${date.slice(8, 10)}-${MONTHS[Number(date.slice(5, 7)) - 1]}-${date.slice(0, 4)}`
}

/** At most two places, half up, and always a point: `3938.0`, `19.82`; empty for null. */
function dataSetNumber(text: DecimalText | null): string {
  if (text === null) return ''
  const value = parseDecimal(text)
  if (!value) throw new Error(`not a number: ${text}`)
  const short = toText(round(value, 2))
  return short.includes('.') ? short : `${short}.0`
}

/** The same of a whole number of hundredths. */
export function dataSetAmount(hundredths: number): string {
  const part = hundredths % 100
  const whole = (hundredths - part) / 100
  return part % 10 === 0 ? `${whole}.${part / 10}` : `${whole}.${part < 10 ? '0' : ''}${part}`
}

export type Fault =
  | 'missing columns'
  | 'letters in a number'
  | 'impossible date'
  | 'unknown accession number'
  | 'empty issuer CIK'
  | 'duplicate accession number'
  | 'unknown document type'

/** `key`: the line's accession number and, but for SUBMISSION, its next cell after a space, as before the damage. */
export interface Damage {
  table: TableName
  key: string
  fault: Fault
}

/** The columns that a load can't do without, and what is put into them. */
const SPOILED: Partial<Record<Fault, { columns: Partial<Record<TableName, string>>; by: string }>> = {
  'letters in a number': {
    by: '12a4.0',
    columns: {
      NONDERIV_TRANS: 'TRANS_SHARES',
      DERIV_TRANS: 'TRANS_SHARES',
      NONDERIV_HOLDING: 'SHRS_OWND_FOLWNG_TRANS',
      DERIV_HOLDING: 'SHRS_OWND_FOLWNG_TRANS',
    },
  },
  'impossible date': {
    by: '32-FOO-2020',
    columns: {
      NONDERIV_TRANS: 'TRANS_DATE',
      DERIV_TRANS: 'TRANS_DATE',
      SUBMISSION: 'FILING_DATE',
      OWNER_SIGNATURE: 'OWNERSIGNATUREDATE',
    },
  },
  'empty issuer CIK': { by: '', columns: { SUBMISSION: 'ISSUERCIK' } },
  'unknown document type': { by: '4/B', columns: { SUBMISSION: 'DOCUMENT_TYPE' } },
}

/** The same texts with about a `share` (0 to 1) of their lines made bad, one way each, and what was done to which. */
export function damaged(tables: Tables, seed: number, share: number): { tables: Tables; damage: Damage[] } {
  const chance = seeded(hashOf(seed, 'damage'))
  const damage: Damage[] = []
  const texts = eachTable((table) => {
    const [header = '', ...lines] = tables[table].slice(0, -1).split('\n')
    const names = header.split('\t')
    const spoiling = Object.entries(SPOILED).filter(([, { columns }]) => columns[table])
    const faults: Fault[] = [
      ...spoiling.map(([fault]) => fault as Fault),
      'missing columns',
      table === 'SUBMISSION' ? 'duplicate accession number' : 'unknown accession number',
    ]
    const bad = lines.flatMap((line) => {
      if (chance() >= share) return [line]
      const fault = faults[Math.floor(chance() * faults.length)]!
      const cells = line.split('\t')
      damage.push({ table, key: cells.slice(0, table === 'SUBMISSION' ? 1 : 2).join(' '), fault })
      if (fault === 'duplicate accession number') return [line, line]
      const kept = 2 + Math.floor(chance() * (names.length - 2))
      if (fault === 'missing columns') return [cells.slice(0, kept).join('\t')]
      if (fault === 'unknown accession number') return [cells.with(0, '0009999999-99-999999').join('\t')]
      const { columns, by } = SPOILED[fault]!
      return [cells.with(names.indexOf(columns[table]!), by).join('\t')]
    })
    return `${[header, ...bad].join('\n')}\n`
  })
  return { tables: texts, damage }
}

/** Falling from row to row, or (one filing in two with three rows and more) in no order; never rising. */
function surrogateKeys(chance: () => number): (count: number) => number[] {
  let next = 9_000_000
  return (count) => {
    const keys = Array.from({ length: count }, () => next--)
    if (count < 3 || chance() < 0.5) return keys
    const mixed = shuffle([...keys], chance)
    return mixed.every((key, index) => key === keys[count - 1 - index]) ? keys : mixed
  }
}

/** In place. */
export function shuffle<T>(items: T[], chance: () => number): T[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(chance() * (last + 1))
    ;[items[last], items[other]] = [items[other]!, items[last]!]
  }
  return items
}
