// Counts in what commands say: `1 filing`, `2 filings`.

/** Returns the count with the words for one of them or for any other number. */
export const counted = (count: number, one: string, other = `${one}s`): string =>
  `${count} ${count === 1 ? one : other}`
