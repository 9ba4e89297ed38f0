// How many words begin with which letters, as far as that decides how results of a search are read. What is found does
// not depend on it, so that an old count will do.
import type { ClickHouse } from '../../connection/client.ts'
import { sql } from '../../connection/sql.ts'

/** Letters with which more words begin than this have their first results ready. */
export const FREQUENT = 500

/** Results of each kind that are ready for letters, which is what a response can have at most. */
export const MAX_RESULTS = 20

interface FrequentLetters {
  /** Words that begin with these letters: about, and at most, where it is not known. */
  words(letters: string): number
  /** The share of all names that have such a word, about. */
  share(letters: string): number
  /** Returns whether their first results may be ready. */
  areReady(letters: string): boolean
}

/** Returns what is known, which is read again after a while. */
export type KnowLetters = () => Promise<FrequentLetters>

const KNOWN_MS = 600_000
const SHORT = 3
const WORDS_PER_NAME = 3

export const LETTERS_SQL = sql`
  SELECT term, max(toUInt32OrZero(words)) AS words
  FROM search_terms
  WHERE list = 'letters'
  GROUP BY term
  HAVING words > ${FREQUENT}`

export function frequentLetters(store: ClickHouse): KnowLetters {
  let known: { letters: Promise<FrequentLetters>; at: number } | null = null
  return () => {
    if (known && performance.now() - known.at < KNOWN_MS) return known.letters
    const read = { letters: readLetters(store), at: performance.now() }
    known = read
    read.letters.catch(() => {
      if (known === read) known = null
    })
    return read.letters
  }
}

async function readLetters(store: ClickHouse): Promise<FrequentLetters> {
  const rows = await store.rows<{ term: string; words: number }>(LETTERS_SQL)
  const counts = new Map(rows.map(({ term, words }) => [term, words]))
  const words = (letters: string) => counts.get(letters) ?? FREQUENT
  const all = rows.filter(({ term }) => [...term].length === 1).reduce((sum, each) => sum + each.words, 0)
  return {
    words,
    share: (letters) => Math.min(1, words(letters) / Math.max(1, all / WORDS_PER_NAME)),
    areReady: (letters) => [...letters].length <= SHORT || counts.has(letters),
  }
}
