// Receivers of webhooks, as users write them: on 127.0.0.1, each delivery checked with both independent clients.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'

export interface Receipt {
  /** The `webhook-id`. */
  id: string
  /** Path of the address, by which tests tell receivers apart. */
  path: string
  /** Milliseconds since 1970. */
  at: number
  headers: Record<string, string>
  body: string
  json: any
}

export interface Receiver {
  url: string
  receipts: Receipt[]
  /** What was sent and is not signed by any of the secrets; and what the two clients said of it. */
  badlySigned: string[]
  /** Secrets that may sign what comes to a path; '' stands for every path. */
  secrets: Map<string, string[]>
  /** Answers instead of 204 where it is set. Called after the receipt is on record. */
  answer: ((receipt: Receipt, response: ServerResponse) => void) | null
  close(): Promise<void>
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    receipts: [],
    badlySigned: [],
    secrets: new Map(),
    answer: null,
    close: async () => {},
  }
  const server = createServer((request, response) => void receive(receiver, request, response))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  receiver.close = () => closed(server)
  return receiver
}

async function receive(receiver: Receiver, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  const headers = request.headers as Record<string, string>
  const path = request.url ?? ''
  const receipt: Receipt = {
    id: headers['webhook-id'] ?? '',
    path,
    at: Date.now(),
    headers,
    body,
    json: JSON.parse(body),
  }
  const fault = faultOf(receipt, receiver.secrets.get(path) ?? receiver.secrets.get('') ?? [])
  if (fault) receiver.badlySigned.push(`${receipt.id} at ${path}: ${fault}`)
  receiver.receipts.push(receipt)
  if (receiver.answer) receiver.answer(receipt, response)
  else response.writeHead(204).end()
}

/** Each secret alone must do: during a rotation receivers know one or the other. */
function faultOf({ headers, body, id, json }: Receipt, secrets: string[]): string | null {
  // Messages for chats have none.
  if (json.id !== undefined && json.id !== id) return 'the body has another id'
  for (const secret of secrets) {
    for (const client of [new StandardWebhook(secret), new SvixWebhook(secret)]) {
      try {
        client.verify(body, headers)
      } catch (error) {
        return String(error)
      }
    }
  }
  return secrets.length > 0 ? null : 'no secret is known for it'
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
