// Messages for incoming webhooks of Slack: a text for notifications, and blocks. Texts of others stand in plain text,
// where no Markdown is read; only links of this service's own are mrkdwn.
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
  const whole = chatText(headline, TEXT, escape)
  const header = chatText(headline, HEADER, escape)
  const body = [...(header === whole ? [] : [whole]), ...lines.map((line) => chatText(line, LINE, escape))]
  return {
    text: whole || '-',
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plain(header) },
      ...body.map((text) => ({ type: 'section', text: plain(text) })),
      ...(facts === '' ? [] : [{ type: 'context', elements: [plain(facts)] }]),
      ...(links.length === 0
        ? []
        : [
            {
              type: 'context',
              elements: links.map(({ text, url }) => ({
                type: 'mrkdwn',
                text: `<${url.replace(/[&<>]/g, escape)}|${text}>`,
              })),
            },
          ]),
    ],
  }
}
