// Proper case for words that are filed in capitals. A word with a lower-case letter stays as filed.

/** Returns whether the text has letters, and all of them are capitals. */
export const isCapitals = (text: string): boolean => /\p{Lu}/u.test(text) && !/\p{Ll}/u.test(text)

/** Converts `O'NEILL-SMITH` to `O'Neill-Smith`, `MOODY'S` to `Moody's`. */
export function properCase(word: string): string {
  return word
    .toLowerCase()
    .replace(/(?<=^|[-/.(&])\p{L}/gu, (letter) => letter.toUpperCase())
    .replace(/(?<![\p{L}])[ODL]['’]\p{L}/gu, (start) => start.toUpperCase())
}

/** Converts `Mccann` to `McCann`. */
export const capitalAfterMc = (word: string): string =>
  word.replace(/\bMc(\p{Ll})/gu, (_, letter: string) => `Mc${letter.toUpperCase()}`)
