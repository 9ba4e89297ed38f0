// What any service on Express takes: one route that sends the same head and the same bytes, and a line of the log by
// pino-http. Forked by the bench of answers with the answer as its first message; sends its port.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { pino } from 'pino'
import { pinoHttp } from 'pino-http'

export interface Answer {
  headers: Record<string, string>
  /** In Base64. */
  body: string
}

const [{ headers, body }] = (await once(process, 'message')) as [Answer]
const bytes = Buffer.from(body, 'base64')
const logger = pino(pino.destination({ dest: '/dev/null', sync: false }))
const server = express()
  .use(pinoHttp({ logger }))
  .get('/', (_request, response) => void response.set(headers).send(bytes))
  .listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
server.keepAliveTimeout = 65_000
process.once('disconnect', () => process.exit())
