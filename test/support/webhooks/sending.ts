// Receivers and senders of webhooks for a group of tests, closed after each.
import type { Attempt, WebhookSender } from '../../../src/application/ports/alerts.ts'
import { openAddressGuard } from '../../../src/infrastructure/webhooks/address-guard.ts'
import { HttpWebhookSender, type WebhookSenderOptions } from '../../../src/infrastructure/webhooks/sender.ts'
import { newWebhookSecret } from './secret.ts'
import { rawReceiver, type RawReceiver, type RawReceiverOptions } from './raw-receiver.ts'

const SECRET = newWebhookSecret()
export const BODY = JSON.stringify({ id: 'msg_1', type: 'transaction.created', data: { name: 'Exämple 🙂 日本' } })
/** Of an attempt and its connection, unless they are given: far above what any takes that a receiver lets end. */
const DEADLINE_MS = 20_000
/** For attempts that only their deadline ends. */
export const SHORT_MS = 500

/** Status or error, and the answer's body. */
export const told = ({ outcome, answer }: Attempt) => [
  outcome.kind === 'answered' ? outcome.status : outcome.error,
  answer && answer.toString(),
]

/** To be called inside a `describe`. Senders may call `127.0.0.1` and `localhost` unless they have another guard. */
export function webhookSending() {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  async function receiver(
    answer: Parameters<typeof rawReceiver>[0],
    options?: RawReceiverOptions,
  ): Promise<RawReceiver> {
    const made = await rawReceiver(answer, options)
    closing.push(made.close)
    return made
  }

  function sender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
    const guard = openAddressGuard({ allowHttp: true, allowHosts: ['127.0.0.1', 'localhost'] })
    const made = new HttpWebhookSender({
      guard,
      version: '1.2.3',
      deadlineMs: DEADLINE_MS,
      connectMs: DEADLINE_MS,
      ...options,
    })
    closing.push(() => made.close())
    return made
  }

  const send = (url: string, through = sender(), id = 'msg_1') =>
    through.send({ id, url, body: BODY, secrets: [SECRET] })
  return { receiver, sender, send }
}
