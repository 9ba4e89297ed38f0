// The webhook sender. Receivers are untrusted: redirects are not followed, responses not decompressed, nothing is
// retried here, and every attempt ends by its deadline.
import http, { type ClientRequest, type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import got, { type RequestFunction } from 'got'
import type { Attempt, WebhookMessage, WebhookSender } from '../../application/ports/alerts.ts'
import type { AddressGuard } from './address-guard.ts'
import { attemptRequest, type HttpAttempt } from './http-attempt.ts'
import { failureReason } from './failure-reason.ts'
import { guardedAgents, type Agents } from './guarded-agents.ts'
import { signatureHeaders } from './signature.ts'

export interface WebhookSenderOptions {
  guard: AddressGuard
  /** This service's version, for the User-Agent. */
  version: string
  /** The limit for a whole attempt. */
  deadlineMs?: number
  /** The limit for look-up, connection and TLS together. */
  connectMs?: number
  /** How long an idle connection is kept; by default a little shorter than Node's HTTP servers keep theirs. */
  idleMs?: number
}

const MAX_HEAD_BYTES = 16 * 1024
const client = got.extend({
  method: 'POST',
  decompress: false,
  followRedirect: false,
  throwHttpErrors: false,
  retry: { limit: 0 },
})

export class HttpWebhookSender implements WebhookSender {
  readonly #guard: AddressGuard
  readonly #deadlineMs: number
  readonly #staticHeaders: OutgoingHttpHeaders
  readonly #keepAliveAgents: Agents
  /** Agents that open a new connection for each request. */
  readonly #freshAgents: Agents
  readonly #inFlight = new Set<Promise<Attempt>>()

  constructor({ guard, version, deadlineMs = 15_000, connectMs = 5_000, idleMs = 4_000 }: WebhookSenderOptions) {
    this.#guard = guard
    this.#deadlineMs = deadlineMs
    this.#keepAliveAgents = guardedAgents(guard, { connectMs, idleMs })
    this.#freshAgents = guardedAgents(guard, { connectMs, idleMs: 0 })
    this.#staticHeaders = {
      'user-agent': `insider-trading-data-service/${version}`,
      'content-type': 'application/json',
      // Asks for a body that operators can read: it is stored as it comes.
      'accept-encoding': 'identity',
    }
  }

  send(message: WebhookMessage): Promise<Attempt> {
    const sent = this.#attempt(message).finally(() => this.#inFlight.delete(sent))
    this.#inFlight.add(sent)
    return sent
  }

  /** Waits for requests in flight, which takes at most the deadline. */
  async close(): Promise<void> {
    await Promise.all(this.#inFlight)
    for (const agents of [this.#keepAliveAgents, this.#freshAgents]) {
      agents.http.destroy()
      agents.https.destroy()
    }
  }

  async #attempt(message: WebhookMessage): Promise<Attempt> {
    const at = Date.now()
    const start = performance.now()
    const { outcome, answer } = await this.#deliver(message).catch((error: unknown) => ({
      outcome: { kind: 'failed', error: failureReason(error) } as const,
      answer: null,
    }))
    return { at, milliseconds: performance.now() - start, outcome, answer }
  }

  async #deliver({ id, url, body, secrets }: WebhookMessage): Promise<HttpAttempt> {
    const end = performance.now() + this.#deadlineMs
    const address = this.#guard.checkUrl(url)
    const headers = { ...this.#staticHeaders, ...signatureHeaders(id, Math.floor(Date.now() / 1000), body, secrets) }
    const post = (agents: Agents) =>
      attemptRequest(client.stream(address, { body, request: requestWith(agents, headers) }), end - performance.now())
    const first = await post(this.#keepAliveAgents)
    return first.wasStale ? post(this.#freshAgents) : first
  }
}

/** Adds headers and agents last: passed to got, they would be copied several times with its options. */
function requestWith(agents: Agents, headers: OutgoingHttpHeaders): RequestFunction {
  return (url, options, onResponse): ClientRequest => {
    const [protocol, agent] = url.protocol === 'https:' ? [https, agents.https] : [http, agents.http]
    return protocol.request(
      url,
      {
        ...options,
        agent,
        headers: { ...options.headers, ...headers },
        maxHeaderSize: MAX_HEAD_BYTES,
      },
      onResponse,
    )
  }
}
