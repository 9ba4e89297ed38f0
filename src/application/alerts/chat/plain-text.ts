// Text of filings and names of rules for chats: on one line, without characters that hide or reorder others, without
// mentions and links, escaped for the chat, and cut to its limits.

// Control characters, invisible ones, those that change the direction of text, and halves of surrogate pairs.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu
const ZERO_WIDTH_SPACE = '\u200b'

/** Returns the text on one line, changed so that no chat takes a part of it for a mention or a link. */
const sanitized = (text: string): string =>
  text
    .replace(HIDDEN, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replaceAll('@', `@${ZERO_WIDTH_SPACE}`)
    .replaceAll('://', `:${ZERO_WIDTH_SPACE}//`)

/**
 * Returns the text as `escape` writes each of its characters, in at most `most` UTF-16 units. What is cut off is shown
 * by `…`; no escape is cut through.
 */
export function chatText(text: string, most: number, escape: (character: string) => string): string {
  // A longer text is cut in any case, so the rest need not be sanitized.
  const characters = [...sanitized(text.slice(0, 4 * most))]
  let written = ''
  for (const [place, character] of characters.entries()) {
    const next = escape(character)
    const isLast = place === characters.length - 1
    if (written.length + next.length > most - (isLast ? 0 : 1)) return `${written}…`
    written += next
  }
  return written
}
