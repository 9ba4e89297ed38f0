// Words of names as the search compares them: in lower case and without accents, so that `Ångström` is found by
// `angstrom`.

/** Returns the words of a text; what is neither letter nor digit parts them. */
export function searchWords(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    // Which of the two it is depends on the letters around it.
    .replaceAll('ς', 'σ')
  return folded.match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Returns the words in the first word as it was typed, joined: `brk b` of `BRK.B inc`. Symbols are compared to it. */
export function typedSymbol(text: string): string {
  const typed = text.split(/\s+/).map(searchWords)
  return typed.find((words) => words.length > 0)?.join(' ') ?? ''
}
