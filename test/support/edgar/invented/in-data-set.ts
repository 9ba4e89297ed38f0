// A filing as far as a data set can show it, and data sets loaded by a test's service.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackfillResult } from '../../../../src/application/data-sets/load-quarters.ts'
import { parseDecimal, round, toText } from '../../../../src/domain/shared/decimal.ts'
import type { Filing, NonDerivativeRow, ReportingOwner } from '../../../../src/domain/filings/filing.ts'
import { TYPES } from '../../../../src/container/tokens.ts'
import type { TestService } from '../../service/service.ts'
import { columnsOf, writeDataSet, type TableName, type Tables } from './data-set-files.ts'
import type { DecimalText } from '../../../../src/domain/shared/identifiers.ts'

/**
 * No time of acceptance, owners in CIK order, amounts with 2 places, texts on one line, the box only where it has a
 * column.
 */
export function inDataSet(filing: Filing, { aff10b5One = false } = {}): Filing {
  const amendment = filing.formType.endsWith('/A')
  const filedAsOf = filing.header?.filedAsOf ?? filing.header?.acceptedAt?.slice(0, 8) ?? null
  return {
    ...filing,
    kind: 'bare',
    header: filedAsOf === null ? null : { acceptedAt: null, filedAsOf, documentCount: null, sic: null, office: null },
    dateOfOriginalSubmission: amendment ? filing.dateOfOriginalSubmission : null,
    aff10b5One: aff10b5One ? filing.aff10b5One : null,
    issuer: {
      ...filing.issuer,
      name: cell('SUBMISSION', 'ISSUERNAME', filing.issuer.name),
      foreignTickerRaw: null,
      tickerRaw: cell('SUBMISSION', 'ISSUERTRADINGSYMBOL', filing.issuer.tickerRaw),
    },
    remarks: cell('SUBMISSION', 'REMARKS', filing.remarks ?? '') || null,
    footnotes: filing.footnotes.map(({ id, text }) => ({ id, text: cell('FOOTNOTES', 'FOOTNOTE_TXT', text) })),
    owners: filing.owners.map(shownOwner).sort((a, b) => (a.cik < b.cik ? -1 : 1)),
    nonDerivative: filing.nonDerivative.filter(({ kind }) => kind === 'transaction').map(shownRow),
    derivative: [],
  }
}

function shownOwner(owner: ReportingOwner): ReportingOwner {
  return {
    ...owner,
    name: cell('REPORTINGOWNER', 'RPTOWNERNAME', owner.name),
    officerTitle: cell('REPORTINGOWNER', 'RPTOWNER_TITLE', owner.officerTitle ?? '') || null,
    otherText: cell('REPORTINGOWNER', 'RPTOWNER_TXT', owner.otherText ?? '') || null,
  }
}

function shownRow(row: NonDerivativeRow): NonDerivativeRow {
  return {
    ...row,
    securityTitle: cell('NONDERIV_TRANS', 'SECURITY_TITLE', row.securityTitle),
    shares: cents(row.shares),
    price: cents(row.price),
    sharesAfter: cents(row.sharesAfter),
  }
}

export function cents(text: DecimalText | null): DecimalText | null {
  return text === null ? null : toText(round(parseDecimal(text)!, 2))
}

export function cell(table: TableName, name: string, text: string): string {
  const line = text.replace(/\r\n|[\t\r\n]/g, ' ')
  const { longest } = columnsOf(table, true).find((column) => column.name === name)!
  return (line.length > longest ? [...line].slice(0, longest).join('') : line).replace(/^ +| +$/g, '')
}

/** Hands the zips of these quarters in and loads them, in the order given. */
export async function loadSets(
  service: TestService,
  quarters: [quarter: string, tables: Tables][],
  load = service.container.get(TYPES.loadQuarters),
): Promise<BackfillResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'test-data-sets-'))
  try {
    const results: BackfillResult[] = []
    for (const [quarter, tables] of quarters) {
      await service.container.get(TYPES.dataSets).take(await writeDataSet(folder, quarter, tables))
      results.push(await load([quarter], null, () => {}))
    }
    return results
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The lines of a table below its header, as objects by column name. */
export function linesOf(tables: Tables, table: TableName): Record<string, string>[] {
  const [header = '', ...lines] = tables[table].trimEnd().split('\n')
  const names = header.split('\t')
  return lines.map((line) => Object.fromEntries(line.split('\t').map((text, index) => [names[index], text])))
}

/** What one dump has and the other has not, the first few rows of each; '' where they are equal. */
export function difference(one: Record<string, string[]>, other: Record<string, string[]>): string {
  return Object.keys(one)
    .flatMap((table) => {
      const [a, b] = [new Set(one[table]), new Set(other[table])]
      const [lost, added] = [[...a].filter((row) => !b.has(row)), [...b].filter((row) => !a.has(row))]
      if (lost.length + added.length === 0) return []
      const some = [...lost.slice(0, 3).map((row) => `- ${row}`), ...added.slice(0, 3).map((row) => `+ ${row}`)]
      return [`${table}: ${lost.length} rows less, ${added.length} more`, ...some]
    })
    .join('\n')
}
