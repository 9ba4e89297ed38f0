// Which addresses webhooks may go to: every way we know of writing an inside one is refused, in the URL, as an answer
// of DNS, and at the connection; and what is public is not.
import { assert } from 'chai'
import { ServiceError } from '../../../../src/application/errors.ts'
import { openAddressGuard, type AddressGuard } from '../../../../src/infrastructure/webhooks/address-guard.ts'
import { isPublicAddress } from '../../../../src/infrastructure/webhooks/public-address.ts'

const ADDRESS = 'must lead to a public address'
const NAME = 'the host name could not be resolved to an address'
const PUBLIC = '93.184.215.14'

/** In the plain form in which DNS answers with them. */
const INSIDE = [
  '0.0.0.0',
  '0.0.0.1',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '::7f00:1',
  '::ffff:0:7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '100::1',
  '100:0:0:1::1',
  '2001:0:7f00:1::',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::',
  '2620:4f:8000::1',
  '3fff::1',
  '::5efe:127.0.0.1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::1',
  'fe80::5efe:127.0.0.1',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
  '4000::1',
]
const OUTSIDE = [
  '1.1.1.1',
  '8.8.8.8',
  PUBLIC,
  '100.63.255.255',
  '100.128.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '168.63.129.15',
  '192.167.255.255',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2001:200::1',
  '2a00:1450:4001:801::200e',
  '2400:cb00::1',
  '3ffe::1',
]

const urlOf = (address: string, scheme = 'http') =>
  `${scheme}://${address.includes(':') ? `[${address}]` : address}/hook`

function guard(
  answers: string[] = [PUBLIC],
  options: { allowHttp?: boolean; allowHosts?: string[] } = {},
): AddressGuard {
  return openAddressGuard({ allowHttp: true, allowHosts: [], lookup: async () => answers, ...options })
}

/** The message of its detail. */
function refusal(error: unknown): string {
  assert.instanceOf(error, ServiceError)
  assert.strictEqual(error.code, 'webhook_url_refused')
  assert.strictEqual(error.message, 'This webhook address cannot be used')
  assert.deepEqual(
    error.details?.map(({ path }) => path),
    ['body.webhookUrl'],
  )
  const { message, code } = error.details![0]!
  assert.strictEqual(
    code,
    message === ADDRESS ? 'address_not_public' : message === NAME ? 'name_not_resolved' : undefined,
  )
  return message
}

/** What is said of the text; null where nothing is. */
function saidOf(text: string, on = guard()): string | null {
  try {
    on.checkUrl(text)
    return null
  } catch (error) {
    return refusal(error)
  }
}

/** As when it is saved: by its text and by what its name leads to. */
async function saidOnSaving(text: string, on: AddressGuard): Promise<string | null> {
  try {
    await on.checkAddress(on.checkUrl(text))
    return null
  } catch (error) {
    return refusal(error)
  }
}

/** What node's connect is handed: addresses, or an error's code. */
function connectedTo(on: AddressGuard, host: string, options: { all?: boolean; family?: number } = {}) {
  return new Promise<string | string[]>((resolve) => {
    on.lookup(host, options, (error, answer) =>
      resolve(error ? error.code! : typeof answer === 'string' ? answer : answer.map(({ address }) => address)),
    )
  })
}

describe('the address guard for webhooks', () => {
  describe('addresses', () => {
    for (const address of INSIDE) {
      it(`${address} is inside: as a literal, as an answer, beside a public answer, at the connection`, async () => {
        assert.isFalse(isPublicAddress(address))
        for (const scheme of ['http', 'https']) assert.strictEqual(saidOf(urlOf(address, scheme)), ADDRESS)
        assert.strictEqual(guard().refusalOf(address)?.message, 'ADDRESS_REFUSED')
        for (const answers of [
          [address],
          [PUBLIC, address],
          [address, PUBLIC],
          ['2606:4700:4700::1111', PUBLIC, address],
        ]) {
          assert.strictEqual(await saidOnSaving('https://hooks.example.com/', guard(answers)), ADDRESS)
          assert.strictEqual(await connectedTo(guard(answers), 'hooks.example.com'), 'ADDRESS_REFUSED')
          assert.strictEqual(await connectedTo(guard(answers), 'hooks.example.com', { all: true }), 'ADDRESS_REFUSED')
        }
      })
    }

    it('that are public may be called, as literals and as answers', async () => {
      for (const address of OUTSIDE) {
        assert.isTrue(isPublicAddress(address), address)
        assert.isNull(await saidOnSaving(urlOf(address), guard([])), address)
        assert.isNull(guard().refusalOf(address), address)
        assert.isNull(await saidOnSaving('https://hooks.example.com/', guard([address])), address)
        assert.strictEqual(await connectedTo(guard([address]), 'hooks.example.com'), address)
      }
    })

    it('are none where they are not in plain form', () => {
      for (const text of [
        '',
        'localhost',
        '127.1',
        '0x7f.0.0.1',
        '8.8.8.08',
        '8.8.8.8 ',
        '2606:4700:4700::1111%eth0',
        '[::1]',
      ]) {
        assert.isFalse(isPublicAddress(text), text)
      }
    })
  })

  describe('texts', () => {
    const bad = [
      'http://127.1',
      'http://2130706433',
      'http://0x7f000001',
      'http://0x7f.1',
      'http://017700000001',
      'http://0177.0.0.1',
      'http://127.000.000.001',
      'http://127.0.0.1.',
      'http://localhost',
      'http://localhost.',
      'http://LOCALHOST',
      'http://0',
      'http://[0:0:0:0:0:0:0:1]',
      'http://[::FFFF:127.0.0.1]',
      'http://①②⑦.⓪.⓪.①',
      'http://127。0。0。1',
      'http://ⓛocalhost',
      'http://localhoſt',
      'http:127.0.0.1',
      'http:/127.0.0.1',
      '\thttp://127.0.0.1',
      ' http://127.0.0.1',
      'http:///127.0.0.1',
      'http:\\\\127.0.0.1',
      'http:/\\127.0.0.1',
      'http://user:pw@127.0.0.1',
      'http://example.com@127.0.0.1',
      'http://@127.0.0.1',
      'http://127.0.0.1#@example.com',
      'http://127.0.0.1\\@example.com',
      'http://example.com\\@127.0.0.1',
      'http://127.0.0.1%00.example.com',
      'http://%31%32%37.0.0.1',
      'http://127.0.0.%31',
      'http://[::1%25lo]',
      'http://[fe80::1%lo]',
      'http://metadata.google.internal',
      'http://metadata',
      'http://host.docker.internal',
      'http://a.b.internal',
      'http://printer.local',
      'http://a.localhost',
      'http://A.LOCALHOST/',
      'http://redis',
      'http://ht\ntp.example.com',
      'http://127.0.0.1\r\n',
      '',
      'http://',
      'https://',
      'http://.',
      'http://:80/',
      'http://?',
      'http://#',
      'example.com',
      '//example.com/',
      'http://exa mple.com',
    ]
    for (const text of bad) it(`${JSON.stringify(text)} is refused`, () => assert.isString(saidOf(text)))

    it('of public hosts are refused where parsers disagree on them', () => {
      const odd = [
        'https://8.8',
        'https://134744072',
        'https://0x8.8.8.8',
        'https://010.8.8.8',
        'https://8.8.8.8.',
        'https://example.com.',
        'https://ex%61mple.com',
        'https://user@example.com',
        'https://:pw@example.com',
        'https://@example.com',
        'https:example.com',
        'https:/example.com',
        'https:///example.com',
        'https:\\\\example.com',
        'https://example.com\\hook',
        ' https://example.com',
        'https://example.com ',
        'https://example.com/a b',
        'https://exam\tple.com',
        'https://example.com/\r\nx: y',
        'https://exämple.com',
        'https://example.com/ä',
        'https://example..com',
        'https://-example.com',
        'https://exam!ple.com',
        'https://example.com:99999',
        'https://example.com:4 43',
        `https://${'a'.repeat(64)}.com`,
        `https://${'abc.'.repeat(63)}com`,
        `https://example.com/${'a'.repeat(2000)}`,
      ]
      for (const text of odd) {
        const said = saidOf(text)
        assert.isString(said, text)
        assert.notStrictEqual(said, ADDRESS, `${text} is a fault of writing, and told as one`)
      }
    })

    it('of any scheme but https are refused, and http with it unless it is allowed', () => {
      for (const scheme of ['file', 'ftp', 'gopher', 'data', 'javascript', 'unix', 'ws', 'wss', 'https+unix']) {
        assert.match(saidOf(`${scheme}://example.com/`)!, /^must begin with/, scheme)
      }
      for (const text of ['file:///etc/passwd', 'data:text/html,x', 'javascript:alert(1)', 'unix:/tmp/socket:/'])
        assert.isString(saidOf(text), text)
      assert.isString(saidOf('http://unix:/var/run/docker.sock:/containers'))
      assert.isNull(saidOf('http://example.com/'))
      assert.isNull(saidOf('HTTPS://Example.COM/', guard([], { allowHttp: false })))
      assert.strictEqual(saidOf('http://example.com/', guard([], { allowHttp: false })), 'must begin with https://')
    })

    it('name ports of the web or above 1023, and none of stores', () => {
      for (const port of [443, 1024, 3000, 4443, 8000, 8080, 8443, 49152, 65535]) {
        assert.isNull(saidOf(`https://example.com:${port}/`), String(port))
      }
      for (const port of [
        0, 1, 22, 25, 53, 80, 444, 1023, 2375, 2376, 3306, 5432, 6379, 8123, 9000, 9200, 11211, 27017,
      ]) {
        assert.strictEqual(saidOf(`https://example.com:${port}/`), `port ${port} is not allowed for webhooks`)
      }
      assert.isNull(saidOf('http://example.com:80/'))
      assert.isNull(saidOf('http://example.com:443/'))
    })

    it('that are usual pass, as URL reads them', () => {
      const usual = [
        'https://example.com/',
        'https://example.com',
        'https://hooks.example.co.uk/a/b?token=x%20y&z=1',
        'https://8.8.8.8/hook',
        'https://[2606:4700:4700::1111]/hook',
        'https://[2606:4700:4700:0:0:0:0:1111]:8443/',
        'https://xn--exmple-cua.com/',
        'https://a_b.example.com/',
        'https://Example.COM/Path',
        'https://127.0.0.1.nip.io/',
        'https://local.example/',
        'https://internal.example.com/',
      ]
      for (const text of usual)
        assert.strictEqual(guard([], { allowHttp: false }).checkUrl(text).href, new URL(text).href)
    })
  })

  describe('names', () => {
    it('that lead inside are refused with another reason than those that cannot be looked up', async () => {
      const failing = openAddressGuard({
        allowHttp: true,
        allowHosts: [],
        lookup: () => Promise.reject(new Error('SERVFAIL')),
      })
      assert.strictEqual(await saidOnSaving('https://127.0.0.1.nip.io/', guard(['127.0.0.1'])), ADDRESS)
      for (const on of [guard([]), failing])
        assert.strictEqual(await saidOnSaving('https://nowhere.example/', on), NAME)
      const allowed = openAddressGuard({ allowHttp: true, allowHosts: ['nowhere.invalid'] })
      assert.strictEqual(await saidOnSaving('http://nowhere.invalid/', allowed), NAME)
      assert.strictEqual(await connectedTo(guard([]), 'nowhere.example'), 'NO_ADDRESS')
      assert.strictEqual(await connectedTo(failing, 'nowhere.example'), 'NO_ADDRESS')
    })

    it('hand on what was checked, the first or all, of the family that is wanted', async () => {
      const on = guard([PUBLIC, '2606:4700:4700::1111', '1.1.1.1'])
      assert.strictEqual(await connectedTo(on, 'example.com'), PUBLIC)
      assert.deepEqual(await connectedTo(on, 'example.com', { all: true }), [PUBLIC, '2606:4700:4700::1111', '1.1.1.1'])
      assert.strictEqual(await connectedTo(on, 'example.com', { family: 6 }), '2606:4700:4700::1111')
      assert.deepEqual(await connectedTo(on, 'example.com', { family: 4, all: true }), [PUBLIC, '1.1.1.1'])
      assert.strictEqual(await connectedTo(guard([PUBLIC]), 'example.com', { family: 6 }), 'NO_ADDRESS')
    })

    it('are looked up once for each connection, so that none is made to what an earlier look-up said', async () => {
      const answers = [[PUBLIC], ['127.0.0.1']]
      const on = openAddressGuard({ allowHttp: false, allowHosts: [], lookup: async () => answers.shift()! })
      assert.isNull(await saidOnSaving('https://rebinding.example/', on))
      assert.strictEqual(await connectedTo(on, 'rebinding.example'), 'ADDRESS_REFUSED')
    })
  })

  describe('allowed hosts', () => {
    const on = guard(['127.0.0.1'], { allowHosts: ['localhost', '127.0.0.1', '::1', 'Receiver.Internal'] })

    it('are free of the rules for addresses and ports', async () => {
      for (const text of [
        'http://localhost/',
        'http://localhost:6379/',
        'http://127.0.0.1:25/',
        'http://[::1]:22/',
        'http://[0:0:0:0:0:0:0:1]/',
        'https://receiver.internal:9000/',
      ])
        assert.isNull(saidOf(text, on), text)
      assert.isNull(await saidOnSaving('http://127.0.0.1:25/', on))
      assert.isNull(await saidOnSaving('http://localhost:25/', on))
      assert.isNull(on.refusalOf('127.0.0.1'))
      assert.include(['127.0.0.1', '::1'], await connectedTo(on, 'localhost'))
    })

    it('are those that the URL names, not what its name leads to', async () => {
      assert.strictEqual(await saidOnSaving('http://elsewhere.example/', on), ADDRESS)
      assert.strictEqual(await connectedTo(on, 'elsewhere.example'), 'ADDRESS_REFUSED')
      for (const text of ['http://a.localhost/', 'http://127.0.0.2/', 'http://[::ffff:127.0.0.1]/'])
        assert.strictEqual(saidOf(text, on), ADDRESS)
    })

    it('are not free of the rules for scheme and writing', () => {
      assert.isString(saidOf('http://localhost/', guard([], { allowHttp: false, allowHosts: ['localhost'] })))
      for (const text of [
        'http://127.1/',
        'http://2130706433/',
        'http://localhost./',
        'http://a@localhost/',
        'http:/localhost/',
        'ftp://localhost/',
        'http://ⓛocalhost/',
      ])
        assert.isString(saidOf(text, on), text)
    })

    it('must be hosts', () => {
      for (const host of ['', 'localhost:80', 'http://localhost', 'a/b', 'a@b', '*', '[::1]:80', '::g']) {
        assert.throws(() => guard([], { allowHosts: [host] }), 'is not a host', host)
      }
    })
  })
})
