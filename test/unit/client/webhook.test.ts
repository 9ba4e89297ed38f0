// The client's check of webhooks against signatures of our own sender and of two other implementations.
import { createHmac } from 'node:crypto'
import { assert } from 'chai'
import { Webhook } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { verifyWebhook, WebhookVerificationError } from '../../../src/client/index.ts'
import { example } from '../../support/http/example-service.ts'

const secret = `whsec_${Buffer.from('a secret of 24 bytes or so').toString('base64')}`
const other = `whsec_${Buffer.from('another secret of its own').toString('base64')}`
const body = JSON.stringify(example('webhooks/transaction-created'))
const id = 'evt_1'
const now = Math.floor(Date.now() / 1_000) * 1_000

const headersOf = (signature: string, at = now) => ({
  'webhook-id': id,
  'webhook-timestamp': String(at / 1_000),
  'webhook-signature': signature,
})
const sign = (with_ = secret, at = now) => new Webhook(with_).sign(id, new Date(at), body)

describe('the check of webhooks', () => {
  const refused = async (...[text, headers, key]: Parameters<typeof verifyWebhook>) => {
    const error = await verifyWebhook(text, headers, key, now).catch((reason: unknown) => reason)
    assert.instanceOf(error, WebhookVerificationError)
  }

  it('takes signatures of Standard Webhooks and of Svix, as text and as bytes', async () => {
    const event = JSON.parse(body)
    const svix = new Svix(secret).sign(id, new Date(now), body)
    assert.strictEqual(svix, sign())
    assert.deepEqual(await verifyWebhook(body, headersOf(sign()), secret, now), event)
    assert.deepEqual(await verifyWebhook(Buffer.from(body), new Headers(headersOf(svix)), secret, now), event)
    const inCapitals = Object.fromEntries(
      Object.entries(headersOf(sign())).map(([name, text]) => [name.toUpperCase(), text]),
    )
    assert.deepEqual(await verifyWebhook(body, inCapitals, secret, now), event)
  })

  it('takes one of several signatures, as after a rotation', async () => {
    const both = `${sign(other)} v2,unknown ${sign()}`
    assert.deepEqual(await verifyWebhook(body, headersOf(both), secret, now), JSON.parse(body))
    await refused(body, headersOf(sign(other)), secret)
  })

  it('refuses what was altered, is old or early, or lacks a header', async () => {
    await refused(body.replace('EXMP', 'EXMQ').concat(' '), headersOf(sign()), secret)
    for (const off of [-301_000, 301_000]) await refused(body, headersOf(sign(secret, now + off), now + off), secret)
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      await refused(body, { ...headersOf(sign()), [name]: undefined }, secret)
    }
    await refused(body, { ...headersOf(sign()), 'webhook-timestamp': '1e9' }, secret)
    await refused(body, headersOf('v1,%%%'), secret)
    await refused(body, headersOf(''), secret)
  })

  it('refuses a secret that is absent or has fewer than 24 bytes, whatever such a key has signed', async () => {
    const short = Buffer.alloc(23, 1)
    for (const [given, key] of [
      [undefined, Buffer.alloc(0)],
      ['', Buffer.alloc(0)],
      ['whsec_', Buffer.alloc(0)],
      [short.toString('base64'), short],
      [`whsec_${short.toString('base64')}`, short],
    ] as [string, Buffer][]) {
      const signature = createHmac('sha256', key)
        .update(`${id}.${now / 1_000}.${body}`)
        .digest('base64')
      for (const headers of [headersOf(`v1,${signature}`), {}]) {
        const error = await verifyWebhook(body, headers, given, now).catch((reason: unknown) => reason)
        assert.instanceOf(error, TypeError, given)
        assert.match(error.message, /^The secret must be whsec_ and base64 of at least 24 bytes$/)
      }
    }
    const enough = Buffer.alloc(24, 1)
    const signed = new Webhook(enough.toString('base64')).sign(id, new Date(now), body)
    assert.isObject(await verifyWebhook(body, headersOf(signed), `whsec_${enough.toString('base64')}`, now))
  })

  it('takes a delivery five minutes off, to the second', async () => {
    for (const off of [-300_000, 300_000])
      assert.isObject(await verifyWebhook(body, headersOf(sign(secret, now + off), now + off), secret, now))
  })
})
