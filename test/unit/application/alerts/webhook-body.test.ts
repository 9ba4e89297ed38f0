// Bodies of webhooks in every format: their content for each event, what rules leave out, and that no text of a filing
// or rule exceeds a limit or breaks the markup. UPDATE_GOLDEN=1 records.
import { readFileSync, writeFileSync } from 'node:fs'
import { assert } from 'chai'
import fc from 'fast-check'
import { webhookBodies } from '../../../../src/application/alerts/webhook-body.ts'
import { FORMATS, type Match } from '../../../../src/application/ports/alerts.ts'
import { schemaFaults } from '../../../support/http/contract-client.ts'
import { example } from '../../../support/http/example-service.ts'

const GOLDEN = new URL('../../../fixtures/golden/alert-bodies.json', import.meta.url)
const EVENTS = ['transaction-created', 'transaction-amended', 'signal-detected', 'signal-escalated', 'test']
const SCHEMAS: Record<string, string> = {
  'transaction.created': 'TransactionCreatedEvent',
  'transaction.amended': 'TransactionAmendedEvent',
  'signal.detected': 'SignalDetectedEvent',
  'signal.escalated': 'SignalEscalatedEvent',
  test: 'TestEvent',
}
const RULE: Match = { kind: 'alert', id: 'alr_S4mpleS4mpleS4mpleSa', name: 'Big *buys* <@here>' }
const ENTRY: Match = { kind: 'watchlist', ticker: 'EXMP' }
const PUBLIC_URL = 'https://insider.example.com/below'

type Sent = Parameters<ReturnType<typeof webhookBodies>>[0]

/** A delivery of an event of the contract's examples, as the outbox has it. */
function sent(event: string, change: Partial<Sent> = {}): Sent {
  const { id, type, createdAt, data } = example(`webhooks/${event}`)
  const { ticker = null, matched: _, ...stored } = data
  return {
    id,
    eventType: type,
    createdAt: Date.parse(createdAt),
    ticker,
    data: JSON.stringify(stored),
    matched: [ENTRY],
    format: 'standard',
    issuerCik: '0009900100',
    ...change,
  }
}

const bodyOf = (delivery: Sent, publicUrl: string | null = PUBLIC_URL) => webhookBodies(publicUrl)(delivery)

const row = (change: object = {}) => ({
  ...example('feed-page').data.transactions[0],
  detail: { sector: 'Energy' },
  ...change,
})
const filing = (rows: object[], change: Partial<Sent> = {}, more: object = {}) =>
  sent('transaction-created', {
    data: JSON.stringify({ companyName: 'C', accessionNumber: '0000000000-30-000042', transactions: rows, ...more }),
    ...change,
  })

describe('bodies of webhooks', () => {
  it('equal the recorded ones, for each event and format', () => {
    const bodies = FORMATS.flatMap((format) =>
      EVENTS.map((event) => {
        const matched: Match[] = event === 'test' ? [RULE] : [ENTRY, RULE]
        return [`${event} ${format}`, JSON.parse(bodyOf(sent(event, { format, matched })))]
      }),
    )
    const written = `${JSON.stringify(Object.fromEntries(bodies), null, 2)}\n`
    if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, written)
    assert.strictEqual(written, readFileSync(GOLDEN, 'utf8'))
  })

  it('meet the contract in the standard format', () => {
    for (const event of EVENTS) {
      const body = JSON.parse(bodyOf(sent(event, { matched: [ENTRY, RULE] })))
      assert.deepEqual(schemaFaults(`/components/schemas/${SCHEMAS[body.type]}`, body), [], event)
    }
  })

  it('have the transactions that a rule matches, or all if the watchlist matches', () => {
    const rows = [1, 2, 3, 4].map((shares) => row({ id: `t${shares}`, shares }))
    const passing = (...places: number[]): Match => ({ ...RULE, passing: places, of: 4 })
    const told = (matched: Match[] | null) => {
      const { transactions, others } = JSON.parse(bodyOf(filing(rows, { matched }))).data
      return [transactions.map(({ id }: any) => id), others]
    }
    assert.deepEqual(told([passing(1)]), [['t2'], 3])
    assert.deepEqual(told([passing(3, 1), passing(1, 0)]), [['t1', 't2', 't4'], 1])
    assert.deepEqual(told([passing(1), ENTRY]), [['t1', 't2', 't3', 't4'], undefined])
    assert.deepEqual(told(null), [['t1', 't2', 't3', 't4'], undefined])
    // A rule may match by what an amendment supersedes alone.
    assert.deepEqual(told([passing()]), [[], 4])
  })

  it('have details of transactions if a rule or an entry asks for them', () => {
    for (const [matched, isDetailed] of [
      [[RULE], false],
      [[{ ...RULE, detail: true }], true],
      [[RULE, { ...ENTRY, detail: true }], true],
      [null, false],
    ] as const) {
      const { transactions } = JSON.parse(bodyOf(filing([row()], { matched: matched as Match[] | null }))).data
      assert.strictEqual('detail' in transactions[0], isDetailed)
    }
  })

  it('keep numbers as they are filed', () => {
    const data =
      '{"companyName":"C","accessionNumber":"0000000000-30-000042","transactions":[{"shares":999999999999.9999}]}'
    assert.include(bodyOf(filing([], { data })), '"shares":999999999999.9999}')
  })

  it('are at most 20 kB, and count the matching transactions that they leave out', () => {
    const rows = Array.from({ length: 300 }, (_, n) => row({ id: `t${n}`, detail: { text: 'x'.repeat(900) } }))
    const places = rows.map((_, place) => place).filter((place) => place % 2 === 0)
    const matched: Match[] = Array.from({ length: 100 }, (_, n) => ({
      ...{ kind: 'alert', id: RULE.kind === 'alert' ? `${RULE.id.slice(0, -3)}${100 + n}` : '', name: '€'.repeat(80) },
      ...{ passing: places, of: 300, detail: true },
    }))
    const body = bodyOf(filing(rows, { matched }))
    assert.isAtMost(Buffer.byteLength(body), 20_000)
    const { data } = JSON.parse(body)
    assert.strictEqual(data.transactions.length + data.omitted, 150)
    assert.strictEqual(data.others, 150)
    assert.strictEqual(data.matched.length + data.matchedOmitted, 100)
    assert.isAbove(data.matched.length, 5)
    // Of 300 transactions 250 were stored.
    const stored = JSON.parse(bodyOf(filing(rows.slice(0, 250), { matched: [matched[0]!] }, { omitted: 50 }))).data
    assert.strictEqual(stored.transactions.length + stored.omitted, 150)
  })

  it('link to the dashboard only if it has a public address', () => {
    for (const format of ['slack', 'discord'] as const) {
      assert.include(bodyOf(sent('signal-detected', { format })), `${PUBLIC_URL}/#/signal/`)
      const body = bodyOf(sent('signal-detected', { format }), null)
      assert.notInclude(body, '#/')
      assert.include(body, 'https://www.sec.gov/')
    }
  })

  it('show five transactions in a chat, and count the others', () => {
    const rows = Array.from({ length: 12 }, (_, n) => row({ shares: n + 1 }))
    for (const format of ['slack', 'discord'] as const) {
      const body = bodyOf(filing(rows, { format, matched: [{ ...RULE, passing: [...rows.keys()], of: 15 }] }))
      assert.include(body, 'and 7 more')
      assert.include(body, '3 other transactions in the filing')
    }
  })

  it('count in a chat what an amendment left out when it was stored', () => {
    const rows = Array.from({ length: 3 }, () => row())
    const delivery = filing(rows, { format: 'slack', eventType: 'transaction.amended' }, { superseded: ['a', 'b'] })
    assert.include(bodyOf(delivery), 'replaces 2 earlier transactions')
  })

  it('say in a chat whether an amendment replaced the transactions that matched, or withdrew them', () => {
    const amended = (rows: object[]) =>
      bodyOf(
        filing(
          rows,
          { format: 'slack', eventType: 'transaction.amended', matched: [{ ...RULE, passing: [], of: rows.length }] },
          { superseded: ['a'] },
        ),
      )
    assert.include(amended([row()]), 'An amendment replaced transactions of EXMP')
    assert.include(amended([]), 'An amendment withdrew transactions of EXMP')
    for (const body of [amended([row()]), amended([])]) assert.notInclude(body, 'Severity')
  })
})

// Characters that mean something to a chat, among them such as hide or reorder others.
const hostile = fc.oneof(
  fc.constantFrom(
    ...['<!channel>', '@everyone', '@here', '<@123>', '*b*', '_i_', '`c`', '~s~', '||x||', '[a](http://evil.example)'],
    ...[
      '\u202e',
      '\u0000',
      '\u001b[31m',
      '\n# head',
      '> quote',
      '&amp;',
      '&',
      '<',
      '>',
      '\ud800',
      '👩‍👩‍👧‍👦',
      ':smile:',
      '\\',
    ],
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)
const text = fc.array(hostile, { maxLength: 60 }).map((parts) => parts.join(''))
const event = fc
  .record({
    rows: fc.array(fc.record({ insiderName: text, insiderTitle: text, companyName: text, ticker: text }), {
      maxLength: 20,
    }),
    description: text,
    names: fc.array(text, { maxLength: 100 }),
    isSignal: fc.boolean(),
  })
  .map(({ rows, description, names, isSignal }): Sent => {
    const matched = names.map((name): Match => ({ ...RULE, kind: 'alert', id: 'alr_x', name: name.slice(0, 80) }))
    if (!isSignal) return filing(rows.map(row), { matched })
    const { signal } = example('webhooks/signal-detected').data
    return sent('signal-detected', { matched, data: JSON.stringify({ signal: { ...signal, description } }) })
  })

const HIDDEN = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

describe('messages for chats, whatever filings say', function () {
  this.timeout(20_000)

  it('keep the limits of Slack, and bring no mention, no markup and no link of others', () => {
    fc.assert(
      fc.property(event, (delivery) => {
        const message = JSON.parse(bodyOf({ ...delivery, format: 'slack' }))
        assert.isAtMost(message.blocks.length, 50)
        assert.isAtMost(message.text.length, 3_000)
        assert.isFalse(message.mrkdwn)
        for (const block of message.blocks) {
          const texts: any[] = block.text ? [block.text] : block.elements
          assert.isAtMost(texts.length, 10)
          for (const each of texts) {
            assert.isAtMost(each.text.length, block.type === 'header' ? 150 : 3_000)
            assert.isAtLeast(each.text.length, 1)
            assert.notMatch(each.text, HIDDEN)
            // Links are this service's own, and alone in their text.
            if (each.type === 'mrkdwn')
              assert.match(each.text, /^<https:\/\/(insider\.example\.com|www\.sec\.gov)[^<>|]*\|(Dashboard|EDGAR)>$/)
            else expectPlain(each.text)
          }
        }
        expectPlain(message.text)
      }),
      { numRuns: 300 },
    )
  })

  it('keep the limits of Discord, and bring no mention, no markup and no link of others', () => {
    fc.assert(
      fc.property(event, (delivery) => {
        const message = JSON.parse(bodyOf({ ...delivery, format: 'discord' }))
        assert.deepEqual(message.allowed_mentions, { parse: [] })
        assert.isAtMost(message.content.length, 2_000)
        assert.isAtMost(message.embeds.length, 10)
        const [embed = {}] = message.embeds
        assert.isAtMost((embed.description ?? '').length, 4_096)
        assert.isAtMost((embed.footer?.text ?? '').length, 2_048)
        const own = (embed.description ?? '').replaceAll(
          /\[(Dashboard|EDGAR)\]\(https:\/\/(insider\.example\.com|www\.sec\.gov)[^()\s]*\)/g,
          '',
        )
        const whole = [message.content, own, embed.footer?.text ?? ''].join('')
        assert.isAtMost(whole.length + 300, 6_000)
        assert.notMatch(whole.replaceAll('\n', ''), HIDDEN)
        assert.notMatch(whole, /@(?!\u200b)|:\/\//)
        // What means something has a backslash in front.
        for (const marked of [message.content, own.replaceAll(/^(• |Severity: \w+| · )/gm, '')]) {
          assert.notMatch(marked.replaceAll(/\\[^\s]/gu, ''), /[*_~`|<>[\](){}#\\]/, marked)
        }
      }),
      { numRuns: 300 },
    )
  })

  function expectPlain(shown: string): void {
    assert.notMatch(shown, /[<>]|&(?!amp;|lt;|gt;)/)
    assert.notMatch(shown, /@(?!\u200b)|:\/\//)
  }
})
