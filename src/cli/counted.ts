// Counts with their noun in the output of commands: `1 filing`, `2 filings`.

/** Returns the count with the singular or the plural of the noun. */
export const counted = (count: number, one: string, other = `${one}s`): string =>
  `${count} ${count === 1 ? one : other}`
