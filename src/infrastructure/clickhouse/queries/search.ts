// The search for companies and insiders by the beginnings of words in their names, and for companies by symbols.
import type { components } from '../../../contract.ts'
import { withDependencies } from '../../../application/changes/data-dependencies.ts'
import { JsonText } from '../../../application/queries/json-text.ts'
import type { Queries, SearchKind } from '../../../application/queries/queries.ts'
import { queriedWords, typedSymbol } from '../../../domain/wording/search-words.ts'
import type { ClickHouse } from '../connection/client.ts'
import { all, any, sql, type Sql } from '../connection/sql.ts'

type Schemas = components['schemas']

interface SearchRequest {
  /** Each word, alone and joined with the words before it: some word of the name must begin with one of these forms. */
  words: readonly (readonly string[])[]
  /** The text that symbols are compared with. */
  symbol: string
  kinds: readonly SearchKind[] | undefined
  limit: number
}

/** Selects the results: first those with the symbol, then those whose symbol begins so, then those that trade most. */
export function searchSql({ words, symbol, kinds, limit }: SearchRequest): Sql {
  const isSymbol = sql`position(words, ${`=${symbol}=`}) > 0`
  const beginsSymbol = sql`position(words, ${`=${symbol}`}) > 0`
  return sql`
    SELECT multiIf(${isSymbol}, 2, ${beginsSymbol}, 1, 0) AS symbol, shown
    FROM parties FINAL
    WHERE ${all([...words.map(beginsWord), kinds ? sql`kind IN ${kinds}` : null])}
    ORDER BY symbol DESC, recent DESC, transactions DESC, filed DESC, cik, kind
    LIMIT ${limit}`
}

const beginsWord = (forms: readonly string[]): Sql => any(forms.map((form) => sql`position(words, ${` ${form}`}) > 0`))

/** Large blocks, since each search reads all parties. */
const BLOCK_ROWS = 8_192

export function search(store: ClickHouse): Queries['search'] {
  return async ({ q, kinds, limit }) => {
    const request = { words: queriedWords(q), symbol: typedSymbol(q), kinds, limit }
    const rows = await store.texts<[symbol: string, shown: string]>(searchSql(request), 2, BLOCK_ROWS)
    const results = JsonText.list<Schemas['SearchResult']>(rows.map(withMatch))
    return withDependencies(JsonText.object<Schemas['SearchResults']>({ results }), { parts: ['search'] })
  }
}

/** Completes the JSON of a result. */
function withMatch([symbol, shown]: [string, string]): string {
  return `${shown.slice(0, -1)},"matched":"${symbol === '0' ? 'name' : 'ticker'}"}`
}
