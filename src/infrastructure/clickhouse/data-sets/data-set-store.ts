// Data sets on their way into the tables that answer. What each statement asks lies in the files beside this one.
import type { DataSetStore, ResolvedTexts, Slice } from '../../../application/ports/data-sets.ts'
import { cikNumber, cikOf, type AccessionNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import { SIGNIFICANCE_FLOORS, type SignificanceFloors } from '../../../domain/trades/significance.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { TRADE_COLUMNS, toTrade, type StoredTrade } from '../stores/trade-rows.ts'
import { accessionRanges, inRange, joinFilings, joinTrades, keepRejects, setCounts } from './join-filings.ts'
import { BULK, linesOf } from './tsv-fields.ts'
import * as names from './distinct-texts.ts'
import { emptyStaging, stageFiles } from './stage.ts'
import { amendableRows, amendedDays, equalRows, pricedRows, slices } from './find-related-trades.ts'
import { writeStaged } from './publish.ts'

const LEDGER_FILINGS_BATCH = 50_000
const FILINGS_READ_BATCH = 1_000

export function openDataSetStore(store: ClickHouse, floors: SignificanceFloors = SIGNIFICANCE_FLOORS): DataSetStore {
  return {
    empty: () => emptyStaging(store),
    stage: async (files) => {
      await emptyStaging(store)
      await stageFiles(store, files)
    },
    ownerTexts: () => names.ownerTexts(store),
    chiefTexts: () => names.chiefTexts(store),
    pointedTitles: async (titles, file) =>
      names.pointedTitles(
        store,
        titles,
        file && titles.length > 0 ? { file, lines: await linesOf(store, file) } : null,
      ),
    planNotes: async (file) => (file ? names.planNotes(store, file, await linesOf(store, file)) : []),
    undatedFilings: (signatures) => names.undatedFilings(store, signatures),
    symbolTexts: async () => (await names.symbolTexts(store)).map(({ symbol }) => symbol),
    keepNames: (found) => keepNames(store, found),
    join: async (quarter) => {
      await joinFilings(store)
      await keepRejects(store, quarter)
    },
    counts: (quarter) => setCounts(store, quarter),
    ledgerLines: () => ledgerLines(store),
    keepKnown: async (accessions) => {
      await names.keep(
        store,
        'staged_known',
        accessions.map((accession) => ({ accession })),
      )
      await joinTrades(store)
    },
    issuerSymbols: () => names.issuerSymbols(store),
    keepTickers: (tickers) =>
      names.keep(
        store,
        'staged_tickers',
        tickers.map(({ issuerCik, symbols, ticker }) => ({ issuer_cik: cikNumber(issuerCik), symbols, ticker })),
      ),
    withTrades: async (issuers) =>
      issuers.length === 0
        ? []
        : (
            await store.rows<{ issuer: number }>(sql`SELECT DISTINCT subject AS issuer
      FROM trades WHERE path = 'issuer' AND subject IN ${issuers.map(cikNumber)}`)
          ).map(({ issuer }) => cikOf(issuer)),
    slices: () => slices(store),
    amendedDays: async (slice) =>
      (await amendedDays(store, slice)).map(({ issuer, originalDate, owners }) => ({
        issuerCik: cikOf(issuer),
        originalDate,
        ownerCiks: owners.map(cikOf),
      })),
    relatedTrades: (slice, days) => relatedTrades(store, slice, days),
    keepVerdicts: (verdicts) =>
      names.keep(
        store,
        'staged_verdicts',
        verdicts.map(({ trade, verdict }) => ({
          accession: trade.accession,
          sk: trade.setKey,
          price_status: verdict.priceStatus ?? '',
          duplicate_of: verdict.duplicateOf,
          superseded_by: verdict.supersededBy,
          superseded_at: verdict.supersededAt,
          ambiguous: verdict.ambiguous,
          profile_ciks: verdict.profileCiks.map(cikNumber),
        })),
      ),
    write: (version, advance) => writeStaged(store, version, floors, advance),
    filingsOf: (keys) => filingsOf(store, keys),
  }
}

async function keepNames(
  store: ClickHouse,
  { titles, pointed, chiefs, symbols, times, plans }: ResolvedTexts,
): Promise<void> {
  await names.keep(
    store,
    'staged_titles',
    titles.map(({ roles, title, otherText, shown }) => ({ roles, title, other_text: otherText, shown })),
  )
  await names.keep(
    store,
    'staged_pointed_titles',
    pointed.map((title) => ({ ...title, cik: cikNumber(title.cik) })),
  )
  await names.keep(
    store,
    'staged_chiefs',
    chiefs.map(({ title, companyName, ceo }) => ({ title, company_name: companyName, ceo })),
  )
  await names.keep(
    store,
    'staged_plans',
    plans.map((plan) => ({ ...plan })),
  )
  await names.keep(
    store,
    'staged_symbols',
    symbols.map(({ symbol, symbols: cleaned }) => ({ symbol, symbols: cleaned })),
  )
  await names.keep(
    store,
    'staged_times',
    times.map((time) => ({
      accession: time.accession,
      filed_at: time.filedAt,
      filed_day: time.filedDay,
      filed_basis: time.filedBasis,
    })),
  )
}

async function* ledgerLines(store: ClickHouse): AsyncIterable<string> {
  const list = (values: string) => new Sql(`concat('{', arrayStringConcat(${values}, ','), '}')`)
  for (const range of await accessionRanges(store, sql`staged_filings`, LEDGER_FILINGS_BATCH)) {
    yield await store.tabSeparated(sql`SELECT f.accession, form, issuer_cik, concat(toString(filed_at), '+00'), ${list('owner_ciks')},
        ${list('f.symbols')}, if(form NOT IN ('4', '4/A'), '{}', if(row_count = 1 AND notEmpty(r.sks), '{1}', ${list('r.sks')}))
      FROM (SELECT * FROM staged_filings WHERE ${inRange(range)}) AS f
      LEFT JOIN (SELECT accession, arraySort(groupUniqArray(sk)) AS sks FROM staged_rows WHERE problem = '' AND ${inRange(range)} GROUP BY accession) AS r
        ON f.accession = r.accession ${BULK}`)
  }
}

async function relatedTrades(
  store: ClickHouse,
  slice: Slice,
  days: { issuerCik: Cik; day: string; ownerCiks: Cik[] }[],
) {
  await store.command(sql`TRUNCATE TABLE staged_amended_days`)
  await names.keep(
    store,
    'staged_amended_days',
    days.map(({ issuerCik, day, ownerCiks }) => ({
      issuer_cik: cikNumber(issuerCik),
      day,
      owner_ciks: ownerCiks.map(cikNumber),
    })),
  )
  // One after the other: each has hash tables of its own.
  const amendable = await amendableRows(store, slice)
  const equal = await equalRows(store, slice)
  return { amendable, equal, priced: await pricedRows(store, slice) }
}

async function filingsOf(store: ClickHouse, keys: { issuerCik: Cik; filedAt: number; accession: AccessionNumber }[]) {
  const filings = [...new Map(keys.map((key) => [key.accession, key])).values()]
  const trades = []
  for (let from = 0; from < filings.length; from += FILINGS_READ_BATCH) {
    const some = filings.slice(from, from + FILINGS_READ_BATCH)
    trades.push(
      ...(await store.rows<StoredTrade>(sql`SELECT ${new Sql(TRADE_COLUMNS)} FROM trades FINAL WHERE path = 'issuer'
      AND subject IN ${some.map(({ issuerCik }) => cikNumber(issuerCik))} AND filed_at IN (${new Sql(
        some.map(({ filedAt }) => sql`${new Date(filedAt * 1000)}`.text).join(', '),
      )}) AND accession IN ${some.map(({ accession }) => accession)}`)),
    )
  }
  return trades.map(toTrade)
}
