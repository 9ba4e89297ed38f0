// Words of names as the search compares them: in lower case, without accents and the like, so that `Ångström` is found
// by `angstrom`, and with joined forms beside the parts, so that `O'Brien` and `Mc Donald` are found by `obrien` and
// `mcdonald`, and by these `OBRIEN` and `MCDONALD`.

/** Letters that Unicode does not decompose. Which of the two sigmas it is depends on the letters around it. */
const FOLDED: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ς: 'σ' },
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ȷ: 'j', ŧ: 't', ŋ: 'n', ƀ: 'b', ɨ: 'i', ʉ: 'u', ƶ: 'z', ǥ: 'g' },
}

/** Joins parts of one word: `O'Brien`, `Jean-Claude`. Two apostrophes are letters to Unicode. */
const JOINERS = "'’‘ʼʻ`‐‑‒–-"

/** Words as long as this are joined to the next one across a gap: `Mc Donald`, `Van Der Berg`, `Mary Ann`. */
const SHORT_WORD = 4

const FOLDED_LETTERS = new RegExp(`[${Object.keys(FOLDED).join('')}]`, 'g')

/** Returns the words of a text; what is neither letter nor digit parts them. */
export const searchWords = (text: string): string[] => typedWords(text).flat()

/** Returns the words of a name and the words that some of them make together, which a query is compared with. */
export function searchTerms(name: string): string[] {
  const typed = typedWords(name)
  const words = typed.flat()
  const joined = typed.filter((parts) => parts.length > 1).map((parts) => parts.join(''))
  const apart = words.flatMap((word, place) => {
    const [, second, third] = words.slice(place, place + 3)
    return [
      ...(second !== undefined && areOne(word, second) ? [word + second] : []),
      ...(third !== undefined && areOne(word, second!, third) ? [word + second! + third] : []),
    ]
  })
  return [...words, ...joined, ...apart]
}

/**
 * Returns each word of a query once, with what it makes together with those before it. A name is found if, for each
 * word, one of these begins one of its terms.
 */
export function queriedWords(query: string): string[][] {
  const typed = typedWords(query)
  const words = typed.flat()
  const starts = typed.flatMap((parts) => parts.map((_, place) => place))
  const forms = words.map((word, place) => {
    const [first, second] = [words[place - 2], words[place - 1]]
    const parts = words.slice(place - starts[place]!, place + 1)
    return [
      ...new Set([
        word,
        parts.join(''),
        ...(second !== undefined && areOne(second, word) ? [second + word] : []),
        ...(first !== undefined && areOne(first, second!, word) ? [first + second! + word] : []),
      ]),
    ]
  })
  return [...new Map(forms.map((each) => [each.join(' '), each])).values()]
}

/** Returns the words in the first word as it was typed, joined: `brk b` of `BRK.B inc`. Symbols are compared to it. */
export function typedSymbol(text: string): string {
  const typed = text.split(/\s+/).map(searchWords)
  return typed.find((words) => words.length > 0)?.join(' ') ?? ''
}

/** Returns the words of a text, each with its parts. */
function typedWords(text: string): string[][] {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(FOLDED_LETTERS, (letter) => FOLDED[letter]!)
    .replace(new RegExp(`[${JOINERS}]+`, 'g'), '-')
  return (folded.match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? []).map((word) => word.split('-'))
}

/** Decides whether words apart may be one: all but the last are short, which is no initial after such a word. */
function areOne(...words: string[]): boolean {
  const [last, ...before] = words.toReversed()
  const length = (word: string) => [...word].length
  const isInitial = length(last!) === 1 && before.some((word) => length(word) > 1)
  return !isInitial && before.every((word) => length(word) <= SHORT_WORD)
}
