// What any service on Express takes: one route that sends the same head and the same bytes, and a line of the log by
// pino-http. Started by benches with the answer as JSON on stdin; prints its port.
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import express from 'express'
import { pino } from 'pino'
import { pinoHttp } from 'pino-http'

const { headers, body } = (await json(process.stdin)) as { headers: Record<string, string>; body: string }
const bytes = Buffer.from(body, 'base64')
const logger = pino(pino.destination({ dest: '/dev/null', sync: false }))
const server = express()
  .use(pinoHttp({ logger }))
  .get('/', (_request, response) => void response.set(headers).send(bytes))
  .listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
server.keepAliveTimeout = 65_000
