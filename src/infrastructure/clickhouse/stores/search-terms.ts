// The terms that the search finds companies and insiders by: all made of the lists of transactions and of the SEC's
// list, or those of a few parties that are new.
import { LRUCache } from 'lru-cache'
import type { DirectoryEntry, SearchTerms } from '../../../application/ports/analytics.ts'
import type { Clock } from '../../../application/ports/system.ts'
import { cikNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../connection/client.ts'
import { searchTermsSql, searchWordsSql, toCik } from '../connection/domain-sql.ts'
import { Sql, sql } from '../connection/sql.ts'
import { FREQUENT, MAX_RESULTS } from '../queries/shared/frequent-letters.ts'
import { sortKey } from '../sort-key.ts'

const RECENT_SECONDS = 3 * 365.25 * 86_400
/** A party with more words, joined ones among them, is found by its first ones. */
const MAX_WORDS = 100
/** Parties of one statement that adds them. */
const PARTIES_PER_INSERT = 200
/** Names of which this process knows that they were added: 20 MB. */
const MAX_KNOWN = 100_000

/** What the lists say of each party: `filings` are distinct texts, newest first, as in `summed` of a filing. */
function partiesSql(kind: 'c' | 'i', now: number): Sql {
  const since = Math.max(0, Math.floor(now / 1000 - RECENT_SECONDS))
  const after = sortKey(since)
  return sql`
    SELECT
      toUInt64(substring(list, 2)) AS cik,
      sum(recent) AS recent, sumIf(rows, said = '') AS transactions,
      arrayMap(
        filing -> filing.2,
        arrayReverseSort(filing -> filing.1, groupArrayIf((newest, said), said != ''))
      ) AS filings,
      anyIf(last, said = '') AS trade,
      argMaxIf(issuer, newest, said != '') AS issuer
    FROM (
      SELECT
        substring(key, 1, 11) AS list, if(substring(key, 12, 1) = '#', summed, '') AS said,
        count() AS rows,
        countIf(type IN ('buy', 'sell') AND substring(key, 13, 8) >= ${after}) AS recent,
        max(key) AS newest, argMax(summed, key) AS last, argMax(issuer_cik, key) AS issuer
      FROM transaction_lists FINAL
      WHERE key >= ${kind} AND key < ${kind === 'c' ? 'd' : 'j'} AND substring(key, 12, 1) != '='
      GROUP BY list, said
    )
    GROUP BY list`
}

const rankSql = sql`
  bitShiftLeft(toUInt64(least(recent, 536870911)), 32) + 2 * least(transactions, 1073741823)
    + notEmpty(filings) AS rank`

const nameSql = (text: string): Sql => new Sql(`JSONExtractString(${text}, 1)`)
const symbolsSql = (text: string): Sql => new Sql(`JSONExtract(${text}, 2, 'Array(String)')`)

/** Companies with filings or in the SEC's list, whose symbols and name come before those in filings. */
function companiesSql(now: number): Sql {
  return sql`
    SELECT
      'company' AS kind, cik, ${rankSql},
      arrayMap(listing -> listing.2, arraySort(listings)) AS tickers,
      arrayFilter(each -> notEmpty(each), arrayMap(filing -> ${symbolsSql('filing')}, filings)) AS typed,
      arrayConcat(arrayMap(listing -> listing.3, listings), arrayMap(filing -> ${nameSql('filing')}, filings)) AS names,
      arrayConcat(tickers, arrayFlatten(typed)) AS symbols,
      ${companyShown({
        cik: 'cik',
        ticker: 'if(notEmpty(tickers), tickers[1], typed[1][1])',
        name: `if(notEmpty(listings), arraySort(listings)[1].3, ${nameSql('filings[1]').text})`,
        exchange: `if(notEmpty(listings) AND arraySort(listings)[1].4 != '', arraySort(listings)[1].4, 'Unknown')`,
      })} AS shown
    FROM (${partiesSql('c', now)}) AS filed
    FULL JOIN (
      SELECT issuer_cik AS cik, groupArray((place, ticker, name, toString(exchange))) AS listings
      FROM company_list
      GROUP BY cik
    ) AS listed USING cik`
}

/** Insiders, shown with the company of their newest filing as the terms in `terms` show it. */
function insidersSql(now: number, terms: Sql): Sql {
  return sql`
    SELECT
      'insider' AS kind, filed.cik AS cik, ${rankSql},
      arrayMap(filing -> ${nameSql('filing')}, filings) AS names,
      [] :: Array(String) AS symbols,
      ${insiderShown({
        cik: 'filed.cik',
        name: nameSql('filings[1]').text,
        title: 'JSONExtractString(trade, 3)',
        ticker: `JSONExtractString(company.shown, 'ticker')`,
        companyName: `JSONExtractString(company.shown, 'name')`,
      })} AS shown
    FROM (${partiesSql('i', now)}) AS filed
    LEFT JOIN (
      SELECT cik, any(shown) AS shown
      FROM ${terms}
      WHERE list = 'party' AND term = 'company'
      GROUP BY cik
    ) AS company ON company.cik = filed.issuer`
}

function companyShown({ cik, ticker, name, exchange }: Record<'cik' | 'ticker' | 'name' | 'exchange', string>): Sql {
  return new Sql(`toJSONString(CAST(
    ('company', ${toCik(cik).text}, ${ticker}, ${name}, ${exchange}),
    'Tuple(kind String, cik String, ticker String, name String, exchange String)'
  ))`)
}

function insiderShown(shown: Record<'cik' | 'name' | 'title' | 'ticker' | 'companyName', string>): Sql {
  const { cik, name, title, ticker, companyName } = shown
  return new Sql(`toJSONString(CAST(
    ('insider', ${toCik(cik).text}, ${name}, ${title}, ${ticker}, ${companyName}),
    'Tuple(kind String, cik String, name String, title String, ticker String, companyName String)'
  ))`)
}

/** Inserts the words of these parties, and the parties; with `letters` also what the words begin with, uncut. */
function insertTermsSql(terms: Sql, parties: Sql, letters: Sql = sql`[]`): Sql {
  return sql`
    INSERT INTO ${terms} (list, term, rank, kind, cik, words, shown)
    SELECT row.1, row.2, if(row.1 = 'letters', ${lettersRank('row.2')}, rank), kind, cik, words, shown
    FROM (
      SELECT
        *,
        arrayJoin(arrayConcat(
          [('party', kind)], arrayMap(word -> ('word', word), parts), arrayMap(start -> ('letters', start), ${letters})
        )) AS row
      FROM (${wordsSql(parties)})
    )
    SETTINGS max_execution_time = 0`
}

function wordsSql(parties: Sql): Sql {
  return sql`
    SELECT
      rank, kind, cik, shown,
      arrayMap(symbol -> arrayStringConcat(${searchWordsSql('symbol')}, ' '), arrayDistinct(symbols)) AS folded,
      arraySlice(
        arrayDistinct(arrayFlatten(arrayMap(name -> ${searchTermsSql('name')}, arrayConcat(symbols, names)))),
        1, ${MAX_WORDS}
      ) AS parts,
      if(empty(folded), '', concat('=', arrayStringConcat(folded, '='), '=')) AS symbol_words,
      concat(' ', arrayStringConcat(parts, ' '), symbol_words) AS words
    FROM (${parties})`
}

/** The rank among results for letters: first those of which a symbol is, or begins with, these. */
const lettersRank = (letters: string): Sql => sql`
  rank + bitShiftLeft(toUInt64(multiIf(
    position(words, concat('=', ${new Sql(letters)}, '=')) > 0, 2,
    position(words, concat('=', ${new Sql(letters)})) > 0, 1,
    0
  )), 62)`

const startsOf = (words: string, most: number): Sql => sql`
  arrayDistinct(arrayFlatten(arrayMap(
    word -> arrayMap(letters -> substringUTF8(word, 1, letters), range(1, 1 + least(${most}, lengthUTF8(word)))),
    ${new Sql(words)}
  )))`

/** Letters of which there are always rows. */
const SHORT = 3
/** More letters than this say nothing more. */
const LONGEST = 12

/** Inserts rows for letters: the results that come first of those that the words in `terms` lead to. */
function insertLettersSql(terms: Sql): Sql {
  const starts = sql`
    SELECT start, sum(rows) AS words
    FROM (
      SELECT arrayJoin(${startsOf('[term]', LONGEST)}) AS start, rows
      FROM (SELECT term, count() AS rows FROM ${terms} WHERE list = 'word' GROUP BY term)
    )
    GROUP BY start
    HAVING words > ${FREQUENT} OR lengthUTF8(start) <= ${SHORT}`
  const all = sql`
    SELECT start, ${lettersRank('start')} AS rank_of_letters, kind, cik, shown
    FROM (
      SELECT *, arrayJoin(${startsOf(`extractAll(words, '[^ =]+')`, LONGEST)}) AS start
      FROM ${terms}
      WHERE list = 'party'
    )`
  return sql`
    INSERT INTO ${terms} (list, term, rank, kind, cik, words, shown)
    SELECT 'letters', every.start, every.rank_of_letters, every.kind, every.cik, toString(counted.words), every.shown
    FROM (${all}) AS every
    INNER JOIN (${starts}) AS counted ON counted.start = every.start
    WHERE (every.start, every.kind, every.cik) IN (
      SELECT start, kind, arrayJoin(best).2
      FROM (
        SELECT start, kind, groupArraySorted(${MAX_RESULTS})((bitNot(rank_of_letters), cik)) AS best
        FROM (${all})
        WHERE start IN (SELECT start FROM (${starts}))
        GROUP BY start, kind
      )
    )
    SETTINGS max_execution_time = 0`
}

/** Returns the statements that fill the empty table `terms`. */
const makeTermsSql = (terms: Sql, now: number): Sql[] => [
  insertTermsSql(terms, companiesSql(now)),
  insertTermsSql(terms, insidersSql(now, terms)),
  insertLettersSql(terms),
]

/** A company or an insider as a filing names it. */
interface NewParty {
  kind: 'company' | 'insider'
  cik: Cik
  name: string
  symbols: readonly string[]
  /** Of an insider. */
  title: string
  companyName: string
}

/** Returns the statement that adds these. They have no more than their filing, so that they come last. */
function addTermsSql(parties: readonly NewParty[]): Sql {
  const rows = parties.map(
    ({ kind, cik, name, symbols, title, companyName }) =>
      sql`(${kind}, ${cikNumber(cik)}, ${name}, ${symbols.join(' ')}, ${title}, ${companyName})`.text,
  )
  const shown = sql`if(
    kind = 'company',
    ${companyShown({ cik: 'cik', ticker: 'ticker', name: 'name', exchange: `'Unknown'` })},
    ${insiderShown({ cik: 'cik', name: 'name', title: 'title', ticker: 'ticker', companyName: 'company_name' })}
  )`
  const given = sql`
    SELECT
      kind, cik, toUInt64(0) AS rank, [name] AS names, splitByChar(' ', typed)[1] AS ticker,
      if(kind = 'company', arrayFilter(symbol -> symbol != '', splitByChar(' ', typed)), []) AS symbols,
      ${shown} AS shown
    FROM values(
      'kind String, cik UInt64, name String, typed String, title String, company_name String',
      ${new Sql(rows.join(', '))}
    )`
  return insertTermsSql(sql`search_terms`, given, startsOf('parts', SHORT))
}

/** The new terms are exchanged with those in use by name. */
const BY_NAME = {
  create: sql`CREATE TABLE search_terms_next AS search_terms`,
  swap: sql`EXCHANGE TABLES search_terms_next AND search_terms`,
}

/** On a cluster they replace the rows of the table that all nodes have, as those of the company list do. */
const TERMS_BY_LOG = {
  create: sql`
    CREATE TABLE search_terms_next AS search_terms
    ENGINE = MergeTree
    ORDER BY (list, term, rank DESC, kind, cik)
    SETTINGS index_granularity = 256, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1`,
  swap: sql`ALTER TABLE search_terms REPLACE PARTITION tuple() FROM search_terms_next`,
}

export class ClickHouseSearchTerms implements SearchTerms {
  readonly #store: ClickHouse
  readonly #clock: Clock
  #known = new LRUCache<string, true>({ max: MAX_KNOWN })
  /** What was added since the making began that is under way: it may be missing in what is made. */
  #since: NewParty[] | null = null

  constructor(store: ClickHouse, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async exist(): Promise<boolean> {
    return (await this.#store.rows(sql`SELECT 1 AS one FROM search_terms WHERE list = 'letters' LIMIT 1`)).length > 0
  }

  async make(signal: AbortSignal): Promise<void> {
    const store = this.#store.forBulk
    const { create, swap } = store.cluster ? TERMS_BY_LOG : BY_NAME
    this.#since = []
    try {
      await store.command(sql`DROP TABLE IF EXISTS search_terms_next`)
      await store.command(create)
      for (const statement of makeTermsSql(sql`search_terms_next`, this.#clock())) {
        signal.throwIfAborted()
        await store.command(statement)
      }
      signal.throwIfAborted()
      await store.command(swap)
      await this.#insert(this.#since)
    } finally {
      this.#since = null
      await store.command(sql`DROP TABLE IF EXISTS search_terms_next`)
    }
  }

  async add({ entries, trades }: Parameters<SearchTerms['add']>[0]): Promise<void> {
    const titles = new Map(trades.flatMap(({ owners }) => owners.map(({ cik, title }) => [cik, title])))
    const named = new Map(
      entries.flatMap((entry) => partiesOf(entry, titles)).map((party) => [keyOf(party), party] as const),
    )
    const parties = [...named].filter(([key]) => !this.#known.has(key)).map(([, party]) => party)
    this.#since?.push(...parties)
    await this.#insert(parties)
    for (const party of parties) this.#known.set(keyOf(party), true)
  }

  async #insert(parties: NewParty[]): Promise<void> {
    for (let from = 0; from < parties.length; from += PARTIES_PER_INSERT) {
      await this.#store.command(addTermsSql(parties.slice(from, from + PARTIES_PER_INSERT)))
    }
  }
}

function partiesOf(entry: DirectoryEntry, titles: ReadonlyMap<Cik, string>): NewParty[] {
  const { issuerCik, companyName, symbols, owners } = entry
  return [
    { kind: 'company', cik: issuerCik, name: companyName, symbols, title: '', companyName },
    ...owners.map(({ cik, name }): NewParty => {
      return { kind: 'insider', cik, name, symbols, title: titles.get(cik) ?? '', companyName }
    }),
  ]
}

const keyOf = ({ kind, cik, name, symbols }: NewParty): string =>
  `${kind} ${cik} ${kind === 'company' ? symbols.join(' ') : ''} ${name}`
