// Messages for Slack's incoming webhooks: a text for notifications, and blocks. Texts from filings and rules are of type
// `plain_text`, in which Slack reads no Markdown; only this service's own links are `mrkdwn`.
import type { ChatMessage } from './message.ts'
import { chatText } from './plain-text.ts'

/** Slack's limits are 150 for a header, 3,000 for a text, 50 blocks. */
const [HEADER, TEXT, LINE] = [150, 3_000, 400]
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escape = (character: string): string => ENTITIES[character] ?? character

/** Slack refuses a message with an empty text. */
const plain = (text: string) => ({ type: 'plain_text', text: text || '-', emoji: false })

export function slackBody({ headline, lines, severity, links, matched }: ChatMessage): object {
  const facts = [
    ...(severity === null ? [] : [`Severity: ${severity}`]),
    ...(matched.length === 0 ? [] : [`Alert: ${chatText(matched.join(', '), TEXT / 2, escape)}`]),
  ].join(' · ')
  const text = chatText(headline, TEXT, escape)
  const header = chatText(headline, HEADER, escape)
  const body = [...(header === text ? [] : [text]), ...lines.map((line) => chatText(line, LINE, escape))]
  return {
    text: text || '-',
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plain(header) },
      ...body.map((line) => ({ type: 'section', text: plain(line) })),
      ...(facts === '' ? [] : [{ type: 'context', elements: [plain(facts)] }]),
      ...(links.length === 0
        ? []
        : [
            {
              type: 'context',
              elements: links.map((link) => ({
                type: 'mrkdwn',
                text: `<${link.url.replace(/[&<>]/g, escape)}|${link.text}>`,
              })),
            },
          ]),
    ],
  }
}
