// Companies and insiders by the beginnings of words of their names, companies also by symbols.
import type { components } from '../../../contract.ts'
import { madeFrom } from '../../../application/changes/dependence.ts'
import { JsonText } from '../../../application/queries/json-text.ts'
import type { Queries, SearchKind } from '../../../application/queries/queries.ts'
import { queriedWords, typedSymbol } from '../../../domain/wording/search-words.ts'
import type { ClickHouse } from '../connection/client.ts'
import { all, Sql, sql } from '../connection/sql.ts'
import { frequentLetters } from './shared/frequent-letters.ts'
import { BLOCK_ROWS } from './shared/transaction-list.ts'

type Schemas = components['schemas']

interface Asked {
  /** What symbols are compared with. */
  symbol: string
  kinds: readonly SearchKind[] | undefined
  limit: number
}

const ofKinds = (kinds: Asked['kinds']): Sql | null => (kinds ? sql`kind IN ${kinds}` : null)

/** Selects results for a few letters, or many that are frequent, which are ready in their order. */
export function lettersSql(letters: string, { kinds, limit }: Asked): Sql {
  return sql`
    SELECT bitShiftRight(rank, 62) AS symbol, rank, cik, kind, shown
    FROM search_terms
    WHERE ${all([sql`list = 'letters' AND term = ${letters}`, ofKinds(kinds)])}
    ORDER BY rank DESC, cik, kind
    LIMIT 1 BY kind, cik
    LIMIT ${limit}`
}

const symbolMatch = (symbol: string): Sql => sql`
  multiIf(position(words, ${`=${symbol}=`}) > 0, 2, position(words, ${`=${symbol}`}) > 0, 1, 0)`

/** A word of the query, and what it makes together with those before it: one of these begins a word of the name. */
type Forms = readonly string[]

const withWords = (words: readonly Forms[]): Sql[] =>
  words.map((forms) => anyOf(forms, (form) => sql`position(words, ${` ${form}`}) > 0`))

function anyOf(forms: Forms, matches: (form: string) => Sql): Sql {
  const conditions = forms.map((form) => matches(form).text).join(' OR ')
  return new Sql(forms.length > 1 ? `(${conditions})` : conditions)
}

/** Selects results of which a word begins with `word`, and others with `others`. */
export function wordsSql(word: Forms, others: readonly Forms[], { symbol, kinds, limit }: Asked): Sql {
  const begins = sql`list = 'word' AND ${anyOf(word, (form) => sql`startsWith(term, ${form})`)}`
  return sql`
    SELECT ${symbolMatch(symbol)} AS symbol, rank, cik, kind, shown
    FROM search_terms
    WHERE ${all([begins, ...withWords(others), ofKinds(kinds)])}
    ORDER BY symbol DESC, rank DESC, cik, kind
    LIMIT 1 BY kind, cik
    LIMIT ${limit}`
}

/**
 * Selects insiders in their order until there are enough. They have no symbols. One who was added again since all terms
 * were made can occur twice, behind all who are not new: to look for that, `isOnce`, takes reading all of them.
 */
export function insidersSql(words: readonly Forms[], { limit }: Asked, isOnce: boolean): Sql {
  return sql`
    SELECT 0 AS symbol, rank, cik, kind, shown
    FROM search_terms
    WHERE ${all([sql`list = 'party' AND term = 'insider'`, ...withWords(words)])}
    ORDER BY rank DESC, kind, cik
    ${isOnce ? sql`LIMIT 1 BY kind, cik` : sql``}
    LIMIT ${limit}`
}

/**
 * Frequent words are looked for in the order of results: of `j s` twenty are found among the first 2,000 insiders,
 * while 40,000 words begin with `j`. Some words occur together less often than their shares say.
 */
const CAUTION = 4

/** Rows read at a time where all that match are sorted, and where insiders are read in order until there are enough. */
const SORTED_ROWS = 8_192
const ORDERED_ROWS = 1_024

export function search(store: ClickHouse): Queries['search'] {
  const known = frequentLetters(store)
  const sorted = (query: Sql) => store.texts(query, SORTED_ROWS)
  const ready = (query: Sql) => store.texts(query, BLOCK_ROWS)

  const insidersInOrder = async (words: Forms[], asked: Asked): Promise<string[][]> => {
    const first = await store.texts(insidersSql(words, asked, false), ORDERED_ROWS)
    const isEachOnce = new Set(first.map(([, , cik]) => cik)).size === first.length
    return isEachOnce ? first : sorted(insidersSql(words, asked, true))
  }

  const byWords = async (words: Forms[], asked: Asked): Promise<string[][]> => {
    const frequent = await known()
    const count = (forms: Forms) => forms.reduce((sum, form) => sum + frequent.words(form), 0)
    const share = (forms: Forms) =>
      Math.min(
        1,
        forms.reduce((sum, form) => sum + frequent.share(form), 0),
      )
    const byRarity = words.toSorted((a, b) => count(a) - count(b) || b[0]!.length - a[0]!.length)
    const [rarest, ...others] = byRarity as [Forms, ...Forms[]]
    const ofAll = words.reduce((product, forms) => product * share(forms), 1)
    if (count(rarest) <= (CAUTION * asked.limit) / ofAll) return sorted(wordsSql(rarest, others, asked))
    const kinds = asked.kinds ?? ['company', 'insider']
    const found = await Promise.all([
      kinds.includes('company') ? sorted(wordsSql(rarest, others, { ...asked, kinds: ['company'] })) : [],
      kinds.includes('insider') ? insidersInOrder(words, asked) : [],
    ])
    return found.flat().toSorted(inOrder).slice(0, asked.limit)
  }

  const byWord = async (word: string, asked: Asked): Promise<string[][]> => {
    if ([...word].length <= 3) return ready(lettersSql(word, asked))
    if ((await known()).areReady(word)) {
      const found = await ready(lettersSql(word, asked))
      if (found.length > 0) return found
    }
    return sorted(wordsSql([word], [], asked))
  }

  return async ({ q, kinds, limit }) => {
    const words = queriedWords(q)
    const asked = { symbol: typedSymbol(q), kinds, limit }
    const [only] = words
    const isOne = words.length === 1 && only!.length === 1
    const rows = isOne ? await byWord(only![0]!, asked) : await byWords(words, asked)
    const results = JsonText.list<Schemas['SearchResult']>(rows.map(withMatch))
    return madeFrom(JsonText.object<Schemas['SearchResults']>({ results }), { parts: ['search'] })
  }
}

function inOrder([symbolA, rankA, cikA]: string[], [symbolB, rankB, cikB]: string[]): number {
  return Number(symbolB) - Number(symbolA) || compare(BigInt(rankB!), BigInt(rankA!)) || Number(cikA) - Number(cikB)
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** Completes the JSON of a result. */
function withMatch([symbol, , , , shown]: string[]): string {
  return `${shown!.slice(0, -1)},"matched":"${symbol === '0' ? 'name' : 'ticker'}"}`
}
