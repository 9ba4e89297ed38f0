// Messages for Discord's webhooks: the headline as content, the rest as an embed. Discord reads Markdown everywhere, so
// each character with a meaning is escaped; mentions are never resolved.
import type { Severity } from '../../../domain/trades/significance.ts'
import type { ChatMessage } from './message.ts'
import { chatText } from './plain-text.ts'

/** Discord's limits are 2,000 for the content, 4,096 for a description, 2,048 for a footer, 6,000 in all. */
const [CONTENT, LINE, FOOTER] = [1_500, 400, 500]
const MARKDOWN = /[\\*_~`|<>()[\]{}#+:!-]/
const escape = (character: string): string => (MARKDOWN.test(character) ? `\\${character}` : character)
const unchanged = (character: string): string => character

const COLORS: Readonly<Record<Severity, number>> = {
  low: 0x8a8f98,
  medium: 0x2f7ed8,
  high: 0xe08a00,
  critical: 0xd03030,
}

export function discordBody({ headline, lines, severity, links, matched }: ChatMessage): object {
  const description = [
    ...lines.map((line) => `• ${chatText(line, LINE, escape)}`),
    ...(severity === null ? [] : [`Severity: ${severity}`]),
    ...(links.length === 0 ? [] : [links.map(({ text, url }) => `[${text}](${url})`).join(' · ')]),
  ].join('\n')
  const embed = {
    ...(description !== '' && { description }),
    ...(severity !== null && { color: COLORS[severity] }),
    // Footers are plain text.
    ...(matched.length > 0 && { footer: { text: `Alert: ${chatText(matched.join(', '), FOOTER, unchanged)}` } }),
  }
  return {
    // Discord refuses a message without content.
    content: chatText(headline, CONTENT, escape) || '-',
    embeds: Object.keys(embed).length === 0 ? [] : [embed],
    allowed_mentions: { parse: [] },
  }
}
