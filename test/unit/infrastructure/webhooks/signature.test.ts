// Signatures of webhooks, verified by the two clients that receivers take from npm.
import { assert } from 'chai'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { signatureHeaders } from '../../../../src/infrastructure/webhooks/signature.ts'
import { newWebhookSecret } from '../../../support/webhooks/secret.ts'

const CLIENTS = { standardwebhooks: StandardWebhook, svix: SvixWebhook }
const ID = 'msg_2b7f1c'
const BODY = JSON.stringify({ id: ID, type: 'transaction.created', data: { ticker: 'EXWI', sum: 20570 } })
const now = () => Math.floor(Date.now() / 1000)

const LONG_TEXT = 'a'.repeat(20_000)

describe('the signature of webhooks', () => {
  it('is made with secrets of 32 random bytes', () => {
    const secrets = Array.from({ length: 100 }, newWebhookSecret)
    for (const secret of secrets) {
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.strictEqual(Buffer.from(secret.slice(6), 'base64').length, 32)
    }
    assert.strictEqual(new Set(secrets).size, 100)
  })

  it('is the one the standard gives as an example', () => {
    const headers = signatureHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}', [
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ])
    assert.deepEqual(headers, {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  for (const [name, Client] of Object.entries(CLIENTS)) {
    describe(`to ${name}`, () => {
      const verify = (secret: string, body: string | Buffer, headers: Record<string, string>) =>
        new Client(secret).verify(body, headers)

      it('is valid', () => {
        const secret = newWebhookSecret()
        verify(secret, BODY, signatureHeaders(ID, now(), BODY, [secret]))
      })

      it('is valid with the present secret and with the one before while both sign, and with no third', () => {
        const [present, before, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
        const headers = signatureHeaders(ID, now(), BODY, [present, before])
        assert.match(headers['webhook-signature'], /^v1,\S{44} v1,\S{44}$/)
        verify(present, BODY, headers)
        verify(before, BODY, headers)
        assert.throws(() => verify(other, BODY, headers), 'No matching signature')
        const first = headers['webhook-signature'].split(' ')[0]!
        verify(present, BODY, { ...headers, 'webhook-signature': first })
        assert.throws(() => verify(before, BODY, { ...headers, 'webhook-signature': first }), 'No matching signature')
      })

      it('is valid for bodies in any script, as text and as bytes', () => {
        const secret = newWebhookSecret()
        const texts = ['Ünïcödé', '日本語', '🙂 \u{1F468}‍👩‍👧', 'e\u0301', '\u2028', '\u0000', LONG_TEXT]
        for (const text of texts) {
          const body = JSON.stringify({ text })
          const headers = signatureHeaders(ID, now(), body, [secret])
          assert.deepEqual(
            signatureHeaders(ID, Number(headers['webhook-timestamp']), Buffer.from(body), [secret]),
            headers,
          )
          verify(secret, body, headers)
          verify(secret, Buffer.from(body), headers)
        }
      })
    })
  }

  it('stays the same after more secrets than are kept ready', () => {
    const secret = newWebhookSecret()
    const first = signatureHeaders(ID, 1, BODY, [secret])
    for (let count = 0; count < 1_100; count += 1) signatureHeaders(ID, 1, BODY, [newWebhookSecret()])
    assert.deepEqual(signatureHeaders(ID, 1, BODY, [secret]), first)
  })

  it('is not made with a malformed secret, which is not shown', () => {
    const good = newWebhookSecret()
    const short = `whsec_${Buffer.alloc(23).toString('base64')}`
    for (const bad of [
      '',
      'whsec_',
      short,
      good.slice(6),
      good.replace('whsec_', 'whsk_'),
      `${good}!`,
      good.slice(0, -2),
      `whsec_${Buffer.alloc(32, 255).toString('base64url')}`,
    ]) {
      let message = ''
      try {
        signatureHeaders(ID, 1, BODY, [bad])
      } catch (error) {
        message = (error as Error).message
      }
      assert.strictEqual(message, 'a webhook secret must be whsec_ followed by base64 of at least 24 bytes', bad)
    }
  })
})
