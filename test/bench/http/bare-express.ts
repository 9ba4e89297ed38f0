// What any service on Express takes: one route with an answer prepared beforehand, of BYTES characters. Prints its port.
import type { AddressInfo } from 'node:net'
import express from 'express'

const answer = JSON.stringify({ data: 'x'.repeat(Math.max(0, Number(process.env.BYTES) - 11)) })
const server = express()
  .disable('etag')
  .get('/', (_, response) => void response.type('json').send(answer))
  .listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
  })
