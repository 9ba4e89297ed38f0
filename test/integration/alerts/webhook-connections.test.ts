// Where the webhook sender connects: never to private addresses, however it is led there, and over TLS only to the host
// it means. Nothing leaves the machine: a fake look-up decides what counts as public.
import tls from 'node:tls'
import { assert } from 'chai'
import { openAddressGuard, type AddressGuard } from '../../../src/infrastructure/webhooks/address-guard.ts'
import { answerOf } from '../../support/webhooks/raw-receiver.ts'
import { receiverCertificate } from '../../support/webhooks/receiver-certificate.ts'
import { SHORT_MS, told, webhookSending } from '../../support/webhooks/sending.ts'

const PUBLIC = '93.184.215.14'

describe('the webhook sender', () => {
  const { receiver, sender, send } = webhookSending()

  describe('calls nothing inside', () => {
    const nothingAllowed = (lookup: () => Promise<string[]>) =>
      openAddressGuard({ allowHttp: true, allowHosts: [], lookup })
    const inside = () => receiver((socket) => socket.write(answerOf(200)))

    for (const status of [301, 302, 303, 307, 308]) {
      it(`when it is redirected by ${status}`, async () => {
        const target = await inside()
        for (const location of [target.url, `//127.0.0.1:${target.port}/`, `http://localhost:${target.port}/`]) {
          const there = await receiver((socket) => socket.write(answerOf(status, '', { location })))
          assert.deepEqual(told(await send(there.url)), [status, ''])
          assert.strictEqual(there.requests.length, 1)
        }
        assert.strictEqual(target.connections, 0)
      })
    }

    it('by its address', async () => {
      const target = await inside()
      const through = sender({ guard: nothingAllowed(async () => [PUBLIC]) })
      for (const host of [
        '127.0.0.1',
        '127.1',
        '2130706433',
        '0.0.0.0',
        '[::1]',
        '[::ffff:127.0.0.1]',
        'localhost',
        'a.localhost',
      ]) {
        assert.deepEqual(told(await send(`http://${host}:${target.port}/`, through)), ['refused address', null], host)
      }
      assert.strictEqual(target.connections, 0)
    })

    it('by its address, even if only the connection is checked', async () => {
      const target = await inside()
      const guard: AddressGuard = { ...nothingAllowed(async () => ['127.0.0.1']), checkUrl: (text) => new URL(text) }
      const through = sender({ guard })
      for (const host of [
        '127.0.0.1',
        '127.1',
        '0.0.0.0',
        '[::1]',
        '[::ffff:127.0.0.1]',
        'localhost',
        'inside.example',
      ]) {
        for (const scheme of ['http', 'https']) {
          assert.deepEqual(
            told(await send(`${scheme}://${host}:${target.port}/`, through)),
            ['refused address', null],
            host,
          )
        }
      }
      assert.strictEqual(target.connections, 0)
    })

    it('by a name that resolves to a public address when checked and a private one when called', async () => {
      const target = await inside()
      const answers = [[PUBLIC], ['127.0.0.1']]
      const guard = nothingAllowed(async () => answers.shift()!)
      const url = `http://rebinding.example:${target.port}/`
      await guard.checkAddress(guard.checkUrl(url))
      assert.deepEqual(told(await send(url, sender({ guard }))), ['refused address', null])
      assert.deepEqual([answers.length, target.connections], [0, 0])
    })

    it('by a name that resolves to public and private addresses', async () => {
      const target = await inside()
      for (const answers of [
        [PUBLIC, '127.0.0.1'],
        ['127.0.0.1', PUBLIC],
        ['2606:4700:4700::1111', '::1'],
        [PUBLIC, '::ffff:127.0.0.1'],
      ]) {
        const through = sender({ guard: nothingAllowed(async () => answers) })
        assert.deepEqual(told(await send(`http://mixed.example:${target.port}/`, through)), ['refused address', null])
      }
      assert.strictEqual(target.connections, 0)
    })

    it('and names another reason for a name without an address, or whose look-up hangs', async () => {
      assert.deepEqual(told(await send('http://nowhere.example/', sender({ guard: nothingAllowed(async () => []) }))), [
        'dns',
        null,
      ])
      const hanging = sender({ guard: nothingAllowed(() => new Promise(() => {})), connectMs: 100 })
      assert.deepEqual(told(await send('http://slow.example/', hanging)), ['timeout', null])
    })
  })

  describe('over TLS', () => {
    const trusted = tls.getCACertificates('default')
    afterEach(() => tls.setDefaultCACertificates(trusted))
    const https = () => receiver((socket) => socket.write(answerOf(200, 'thanks')), { tls: receiverCertificate })

    it('sends to a host with a trusted certificate that names it', async () => {
      const there = await https()
      tls.setDefaultCACertificates([receiverCertificate.cert])
      const through = sender()
      for (let count = 0; count < 2; count += 1) assert.deepEqual(told(await send(there.url, through)), [200, 'thanks'])
      assert.strictEqual(there.connections, 1)
      const other = there.url.replace('127.0.0.1', 'localhost')
      assert.deepEqual(told(await send(other, through)), ['tls: certificate of another host', null])
      assert.strictEqual(there.requests.length, 2)
    })

    it('sends to no other', async () => {
      const there = await https()
      assert.deepEqual(told(await send(there.url)), ['tls: certificate not trusted', null])
      const plain = await receiver((socket) => socket.write(answerOf(200)), {
        onConnection: (socket) => socket.write(answerOf(200)),
      })
      const attempt = await send(plain.url.replace('http:', 'https:'))
      assert.deepEqual(told(attempt), ['tls: handshake failed', null])
      const silent = await receiver(() => {})
      const through = sender({ deadlineMs: SHORT_MS })
      assert.deepEqual(told(await send(silent.url.replace('http:', 'https:'), through)), ['timeout', null])
    })
  })
})
