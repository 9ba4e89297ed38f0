// Text of filings and names of rules for chats: on one line, without characters that hide or reorder others, without
// mentions and links, escaped for the chat, and cut to its limits.

// Control characters, invisible ones, those that turn the direction of the text, and halves of surrogate pairs.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu
const NOTHING = '\u200b'

/** Returns the text on one line; no chat takes any part of it for a mention or an address. */
const tame = (text: string): string =>
  text
    .replace(HIDDEN, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replaceAll('@', `@${NOTHING}`)
    .replaceAll('://', `:${NOTHING}//`)

/**
 * Returns the text as `escape` writes each of its characters, in at most `most` UTF-16 units. What is cut off is shown
 * by `…`; no escape is cut through.
 */
export function chatText(text: string, most: number, escape: (character: string) => string): string {
  // Longer texts are cut in any case, and are not worth going through.
  const characters = [...tame(text.slice(0, 4 * most))]
  let written = ''
  for (const [place, character] of characters.entries()) {
    const next = escape(character)
    const isLast = place === characters.length - 1
    if (written.length + next.length > most - (isLast ? 0 : 1)) return `${written}…`
    written += next
  }
  return written
}
