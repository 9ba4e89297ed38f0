// Sets of words.

/** Returns the words of a text, which spaces and line ends part. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))
