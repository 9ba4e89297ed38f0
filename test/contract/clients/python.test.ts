// The Python client, under every Python of this machine: each operation over HTTP against the contract's examples,
// errors of a scripted server, and webhooks signed by other libraries.
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { assert } from 'chai'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { withTypes } from '../../../src/cli/bootstrap/python-types.ts'
import { OPERATIONS } from '../../../src/client/operations.ts'
import { call, contract } from '../../support/http/contract-client.ts'
import {
  asked,
  example,
  EXAMPLE_KEY,
  startExampleService,
  type ExampleService,
} from '../../support/http/example-service.ts'
import { builtWeb } from '../../support/service/tools/built-web.ts'
import { CLIENT_FOLDER, needPython, pythons, runPython, type Python } from '../../support/service/tools/pythons.ts'

const source = readFileSync(join(CLIENT_FOLDER, 'insider_trading.py'), 'utf8')

const EVERY_OPERATION = `
import json, sys
from insider_trading import Client, InsiderApiError
url, key, signal, delivery, alert = sys.argv[1:]
calls = []
client = Client(url + "/", api_key=key, on_response=lambda facts: calls.append([facts.method, facts.path]))
answers = {
    "feed-page": client.feed(),
    "feed-statistics": client.feed_statistics(),
    "company": client.company("EXMP"),
    "company-summaries": client.companies(["EXMP", "NOFIL", "ZZZZ"]),
    "insider": client.insider(9900002),
    "insider-positions": client.positions(9900002),
    "company-holders": client.holders("EXMP", limit=5),
    "sentiment": client.sentiment(ticker="EXMP", from_="2030-02-01", to="2030-03-31"),
    "rankings-insiders": client.rankings(of="insiders"),
    "search-results": client.search("widg", limit=5),
    "signal-page": client.signals(minSeverity="low"),
    "signal-detail": client.signal(signal),
    "signal-rules": client.signal_rules(),
    "notice-page": client.notices(state=["open", "partly"], minValue=1000),
    "notice-detail": client.notice("0000000000-30-000201"),
    "filing-page": client.filings(forms=["4", "4/A"]),
    "filing-detail": client.filing("0000000000-30-000042"),
    "exported-datasets": client.exports(),
    "exported-dataset": client.export("transactions"),
    "change-page": client.changes(after=5244000),
    "watchlist": {"companies": client.watchlist()},
    "watchlist-detailed": {"companies": client.watchlist(detail="full")},
    "alerts": {"alerts": client.alerts()},
    "alert": client.alert(alert),
    "alert-plain": client.create_alert({"name": "Everything", "destination": {"url": "https://alerts.example.com/insider"}}),
    "alert-matches": client.alert_matches(alert, days=30),
    "delivery-of-test": client.test_alert(alert),
    "watchlist-entry": client.watch("EXMP", "https://alerts.example.com/form4"),
    "delivery-of-entry-test": client.test_webhook("EXMP"),
    "delivery-page": client.deliveries(status="dead"),
    "delivery-detail": client.delivery(delivery),
}
exported = list(client.feed_export(filter="buys"))
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "file")
    client.export_file("transactions", "2030-01.parquet", path)
    with open(path) as stored:
        assert json.load(stored)["data"] == answers["exported-dataset"]
state = client.status()
again = client.resend(delivery)
assert client.unwatch("EXMP") is None
assert client.replace_alert(alert, {"name": "x", "destination": {"url": "https://x.example/"}}) == answers["alert"]
assert client.remove_alert(alert) is None
assert client.feed_csv(filter="buys").startswith("id,ticker,")
assert "<feed" in client.feed_atom(limit=5) and "<feed" in client.signals_atom(minSeverity="low")
try:
    client.company("NO/SUCH")
except InsiderApiError as error:
    refused = [error.code, error.status, len(error.request_id or "") > 8, error.retry_after, str(error)]
told = {"answers": answers, "exported": exported, "state": state, "again": again}
print(json.dumps(dict(told, calls=calls, refused=refused)))
`

const SCRIPTED = `
import json, sys
from datetime import date, datetime, timedelta, timezone
from insider_trading import Client, InsiderApiError
def failure(act):
    try:
        return ["no failure", act()]
    except InsiderApiError as error:
        return [error.code, error.status, error.request_id, error.retry_after]
client = Client(sys.argv[1], api_key="itd_k_secret", retries=3, timeout=30)
`

describe('the client for Python', function () {
  this.timeout(120_000)
  let server: Server
  let url: string
  let steps: ((request: IncomingMessage, response: ServerResponse) => void)[]
  let requests: { method: string; url: string; headers: Record<string, string>; body: string }[]
  let service: ExampleService
  before(function () {
    needPython(this)
    process.stdout.write(
      `      Python ${pythons()
        .map(({ version }) => version)
        .join(', ')}\n`,
    )
  })
  before(async () => {
    service = await startExampleService({ webFolder: builtWeb() })
    server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { method = '', headers } = request
      requests.push({ method, url: request.url!, headers: headers as Record<string, string>, body })
      ;(steps.shift() ?? data({}))(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/below`
  })
  beforeEach(() => {
    steps = []
    requests = []
  })
  after(async () => {
    server?.closeAllConnections()
    server?.close()
    await service?.close()
  })

  const json =
    (status: number, body: unknown, headers: Record<string, string> = {}) =>
    (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  const data = (value: unknown) => json(200, { success: true, data: value })
  const refusal = (status: number, code: string, headers: Record<string, string> = { 'retry-after': '0' }) =>
    json(
      status,
      { success: false, error: { code, message: `refused: ${code}`, requestId: 'r-1' } },
      {
        'x-request-id': 'r-1',
        ...headers,
      },
    )
  const cut = (request: IncomingMessage) => void request.socket.destroy()
  const scripted = (python: Python, program: string, ...args: string[]) =>
    runPython(python, SCRIPTED + program, [url, ...args])
  /** One after the other, since they share the server's script. */
  const each = (title: string, test: (python: Python) => Promise<void>) =>
    it(title, async () => {
      for (const python of pythons()) {
        steps = []
        requests = []
        await test(python)
      }
    })

  it('has the types of the contract as they are generated', () => {
    assert.strictEqual(withTypes(source, contract), source)
    assert.isAbove(source.match(/^class \w+\(.*TypedDict/gm)!.length, 60)
  })

  it('is served by the service', async () => {
    const { status, headers, body } = await call(service.url, 'GET', '/docs/insider_trading.py')
    assert.deepEqual([status, headers['content-type']], [200, 'text/x-python; charset=utf-8'])
    assert.strictEqual(body, source)
  })

  it('names only types that exist', async () => {
    const program = `
import ast, json, sys, typing
import insider_trading
class Unpack:
    def __class_getitem__(cls, item): return item
names = dict(vars(typing), **vars(insider_trading))
names["Unpack"] = Unpack
checked = 0
for node in ast.walk(ast.parse(open(insider_trading.__file__, encoding="utf-8").read())):
    for annotation in [getattr(node, "annotation", None), getattr(node, "returns", None)]:
        if annotation is not None:
            eval(compile(ast.Expression(annotation), "annotation", "eval"), names)
            checked += 1
print(json.dumps(checked))`
    for (const python of pythons()) assert.isAbove(await runPython(python, program), 400)
  })

  each('asks every operation', async (python) => {
    const { id } = example('delivery-detail').data
    const signal = example('signal-detail').data.signal.id
    const told = await runPython(python, EVERY_OPERATION, [
      service.url,
      EXAMPLE_KEY,
      signal,
      id,
      example('alert').data.id,
    ])
    for (const [name, answer] of Object.entries<any>(told.answers)) {
      if (name === 'signal-rules') assert.lengthOf(answer.rules, 5)
      else assert.deepEqual(answer, example(name).data, name)
    }
    assert.deepEqual(told.exported, example('feed-page').data.transactions)
    assert.deepEqual(asked.feedExport, { filter: 'buys' })
    assert.deepEqual(told.state, example('status').data)
    assert.deepEqual(told.again, example('delivery').data)
    assert.deepInclude(asked.removed, { ticker: 'EXMP' })
    assert.deepEqual(told.refused.slice(0, 4), ['unknown_ticker', 404, true, null])
    const called = told.calls.map(([method, path]: string[]) => `${method} ${path!.split('?')[0]}`)
    const uncalled = Object.values<string>(OPERATIONS).filter((operation) => {
      const pattern = new RegExp(`^${operation.replace(/\{\w+\}/g, '[^/]+')}$`)
      return !called.some((each: string) => pattern.test(each))
    })
    assert.deepEqual(uncalled, ['GET /v1/stream'])
  })

  each('sends parameters as the contract wants them, and what is None not at all', async (python) => {
    await scripted(
      python,
      `
client.feed(tickers=["EXWI", "BRK.B"], minValue=250000.5, filedFrom=date(2026, 11, 2), cursor=None, limit=5,
            filedTo=datetime(2026, 11, 3, 1, 30, tzinfo=timezone(timedelta(hours=-5))))
client.feed(late=True)
client.company("BRK/B", detail="full")
client.companies(["EXWI", "EXGD"], asOf=datetime(2026, 11, 3, tzinfo=timezone.utc))
client.watch("EXWI")
client.watch("EXWI", "https://x.example", detail=True, notices=True)
client.test_webhook("EXWI")
try:
    client.feed(filedFrom=datetime(2026, 11, 2))
except ValueError as error:
    print(json.dumps(str(error)))
`,
    )
    assert.deepEqual(
      requests.map(({ method, url: path, body }) => [method, path, body]),
      [
        [
          'GET',
          '/below/v1/feed?tickers=EXWI,BRK.B&minValue=250000.5&filedFrom=2026-11-02&limit=5' +
            '&filedTo=2026-11-03T06%3A30%3A00Z',
          '',
        ],
        ['GET', '/below/v1/feed?late=true', ''],
        ['GET', '/below/v1/companies/BRK%2FB?detail=full', ''],
        ['GET', '/below/v1/companies?tickers=EXWI,EXGD&asOf=2026-11-03T00%3A00%3A00Z', ''],
        ['POST', '/below/v1/watchlist', '{"ticker": "EXWI"}'],
        [
          'POST',
          '/below/v1/watchlist',
          '{"ticker": "EXWI", "webhookUrl": "https://x.example", "detail": true, "notices": true}',
        ],
        ['POST', '/below/v1/watchlist/EXWI/test', ''],
      ],
    )
    assert.strictEqual(requests[0]!.headers.authorization, 'Bearer itd_k_secret')
  })

  each('reads page after page, each when it is needed', async (python) => {
    const page = (id: string, nextCursor?: string) =>
      data({ transactions: [{ id }, { id: `${id}'` }], hasMore: nextCursor !== undefined, nextCursor })
    steps = [page('a', 'one'), page('b', 'two'), page('c')]
    const ids = await scripted(
      python,
      `
ids = []
for trade in client.feed_all(filter="buys"):
    ids.append(trade["id"])
    if len(ids) == 5:
        break
print(json.dumps(ids))`,
    )
    assert.deepEqual(ids, ['a', "a'", 'b', "b'", 'c'])
    assert.deepEqual(
      requests.map(({ url: path }) => path),
      ['', '&cursor=one', '&cursor=two'].map((cursor) => `/below/v1/feed?limit=100&filter=buys${cursor}`),
    )
  })

  each('creates an alert once, however that ends, and removes one that is gone already', async (python) => {
    const create = 'client.create_alert({"name": "x", "destination": {"url": "https://x.example/"}})'
    for (const [step, code] of [
      [cut, 'connection_failed'],
      [refusal(503, 'unavailable'), 'unavailable'],
    ] as const) {
      ;[steps, requests] = [[step], []]
      const [failed] = await scripted(python, `print(json.dumps(failure(lambda: ${create})))`)
      assert.deepEqual([failed, requests.length], [code, 1])
    }
    ;[steps, requests] = [[refusal(429, 'rate_limited'), data({ id: 'alr_x' })], []]
    assert.deepEqual(await scripted(python, `print(json.dumps(${create}))`), { id: 'alr_x' })
    ;[steps, requests] = [[cut, refusal(404, 'unknown_alert')], []]
    assert.isNull(await scripted(python, 'print(json.dumps(client.remove_alert("alr_x")))'))
    assert.lengthOf(requests, 2)
  })

  each('tries again after what passes, and no more than it should', async (python) => {
    steps = [refusal(503, 'unavailable'), cut, refusal(429, 'rate_limited'), data({ ok: 1 })]
    assert.deepEqual(await scripted(python, 'print(json.dumps(client.feed_statistics()))'), { ok: 1 })
    assert.lengthOf(requests, 4)
    const failure = async (program: string, ...script: typeof steps) => {
      ;[steps, requests] = [script, []]
      return [await scripted(python, `print(json.dumps(failure(lambda: ${program})))`), requests.length]
    }
    const unavailable = Array.from({ length: 5 }, () => refusal(503, 'unavailable'))
    assert.deepEqual(await failure('client.feed()', ...unavailable), [['unavailable', 503, 'r-1', 0], 4])
    assert.deepEqual(await failure('client.signal("x")', refusal(404, 'unknown_signal', {})), [
      ['unknown_signal', 404, 'r-1', null],
      1,
    ])
    for (const text of ['feed_csv', 'feed_atom', 'signals_atom']) {
      steps = [refusal(503, 'unavailable'), cut, (_, response) => void response.writeHead(200).end('id,ticker')]
      assert.strictEqual(await scripted(python, `print(json.dumps(client.${text}()))`), 'id,ticker')
    }
    const late = refusal(429, 'rate_limited', { 'retry-after': '61' })
    assert.deepEqual(await failure('client.feed()', late), [['rate_limited', 429, 'r-1', 61], 1])
    const page: (typeof steps)[number] = (_, response) => void response.writeHead(502).end('<html>bad gateway')
    assert.deepEqual(await failure('Client(sys.argv[1], retries=0).feed()', page), [
      ['unexpected_answer', 502, null, null],
      1,
    ])
  })

  each('counts a removal as done that an attempt without an answer has made', async (python) => {
    steps = [cut, refusal(404, 'not_on_watchlist')]
    assert.isNull(await scripted(python, 'print(json.dumps(client.unwatch("EXWI")))'))
    steps = [refusal(404, 'not_on_watchlist')]
    const refused = await scripted(python, 'print(json.dumps(failure(lambda: client.unwatch("EXWI"))))')
    assert.strictEqual(refused[0], 'not_on_watchlist')
    steps = [cut, refusal(404, 'not_on_watchlist')]
    const tested = await scripted(python, 'print(json.dumps(failure(lambda: client.test_webhook("EXWI"))))')
    assert.strictEqual(tested[0], 'not_on_watchlist')
  })

  each('has a time limit, notices an answer cut short, and follows no redirect with its key', async (python) => {
    steps = [() => {}]
    const silent = 'print(json.dumps(failure(lambda: Client(sys.argv[1], retries=0, timeout=0.4).feed())))'
    assert.strictEqual((await scripted(python, silent))[0], 'timed_out')
    const short: (typeof steps)[number] = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"success":')
      setTimeout(() => response.destroy(), 20)
    }
    steps = [short, data({ whole: true })]
    assert.deepEqual(await scripted(python, 'print(json.dumps(client.feed()))'), { whole: true })
    const cutOff: (typeof steps)[number] = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"id":"1"}\n')
      setTimeout(() => response.destroy(), 20)
    }
    steps = [cutOff]
    const exported = await scripted(python, 'print(json.dumps(failure(lambda: list(client.feed_export()))))')
    assert.strictEqual(exported[0], 'connection_failed')
    requests = []
    steps = [(_, response) => void response.writeHead(302, { location: `${url}/elsewhere` }).end()]
    const moved = await scripted(python, 'print(json.dumps(failure(lambda: client.feed())))')
    assert.deepEqual([moved[0], moved[1], requests.length], ['unexpected_answer', 302, 1])
    for (const address of ['file:///etc/passwd', 'ftp://example.com', 'localhost:8080', 'http://'])
      await runPython(
        python,
        `
import sys
from insider_trading import Client
try:
    Client(sys.argv[1])
except ValueError:
    sys.exit(0)
sys.exit(1)`,
        [address],
      )
    const away = 'print(json.dumps(failure(lambda: Client("http://127.0.0.1:1", retries=1).feed())))'
    assert.strictEqual((await scripted(python, away))[0], 'connection_failed')
  })

  each('stores a file, and tells faults of the service from those of writing it', async (python) => {
    const file =
      (bytes: string, length = bytes.length): (typeof steps)[number] =>
      (_, response) => {
        response.writeHead(200, { 'content-length': String(length) }).write(bytes)
        setTimeout(() => response.destroy(), 20)
      }
    steps = [file('PAR1', 4), refusal(404, 'unknown_dataset', {}), file('PAR1', 9), file('PAR1', 4)]
    const told = await scripted(
      python,
      `
import os, tempfile
def stored(path):
    with open(path) as file:
        return file.read()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "file")
    store = lambda to: failure(lambda: client.export_file("transactions", "2030-01.parquet", to))
    told = [store(path), stored(path), store(path)[0], stored(path), store(path)[0]]
    try:
        store(os.path.join(folder, "missing", "file"))
    except OSError as error:
        told.append(type(error).__name__)
print(json.dumps(told))`,
    )
    const stored = [['no failure', null], 'PAR1']
    assert.deepEqual(told, [...stored, 'unknown_dataset', 'PAR1', 'connection_failed', 'FileNotFoundError'])
  })

  each(
    'follows changes over lost, silent and refused connections, nothing twice and nothing missed',
    async (python) => {
      const event = (id: number, name = 'signal.changed') =>
        `event: ${name}\nid: ${id}\ndata: ${name === 'ready' ? '{}' : changeOf(id)}\n\n`
      const changeOf = (id: number) => JSON.stringify({ id: `e${id}`, type: 'signal.changed', data: { ä: '\u2028' } })
      const stream =
        (text: string, end: 'ends' | 'is cut' | 'stays') => (_: IncomingMessage, response: ServerResponse) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          const bytes = Buffer.from(text)
          for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7))
          if (end === 'ends') response.end()
          else if (end === 'is cut') setTimeout(() => response.destroy(), 50)
        }
      steps = [
        stream(event(4, 'ready') + event(5) + event(6), 'ends'),
        refusal(503, 'unavailable'),
        stream(`: hello\n\n${event(6, 'ready')}${event(9)}${event(11).slice(0, -2)}`, 'is cut'),
        stream(event(9, 'ready') + event(11), 'stays'),
        cut,
        stream(event(11, 'ready') + event(12), 'stays'),
      ]
      const told = await scripted(
        python,
        `
seen, states = [], []
note = lambda state, _: states.append(state)
for change in client.follow(after=4, types=["signal.changed"], silence=3, on_state=note):
    seen.append([change["cursor"], change["id"], change["data"]])
    if len(seen) == 5:
        break
print(json.dumps([seen, states]))`,
      )
      assert.deepEqual(
        told[0],
        [5, 6, 9, 11, 12].map((id) => [String(id), `e${id}`, { ä: '\u2028' }]),
      )
      assert.deepEqual(
        requests.map(({ headers }) => headers['last-event-id']),
        ['4', '6', '6', '9', '11', '11'],
      )
      assert.strictEqual(requests[0]!.url, '/below/v1/stream?types=signal.changed')
      assert.deepEqual(told[1], ['live', 'away', 'away', 'live', 'away', 'live', 'away', 'away', 'live'])
      steps = [refusal(410, 'cursor_expired', {})]
      const expired = await scripted(python, 'print(json.dumps(failure(lambda: next(client.follow(after=1)))))')
      assert.deepEqual(expired.slice(0, 2), ['cursor_expired', 410])
      requests = []
      steps = [stream(event(8, 'ready') + event(9), 'ends')]
      const first = 'print(json.dumps(next(client.follow(after="earliest"))["cursor"]))'
      assert.strictEqual(await scripted(python, first), '9')
      assert.strictEqual(requests[0]!.headers['last-event-id'], 'earliest')
    },
  )

  it('verifies webhooks that others signed, and refuses all that is not right', async () => {
    const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
    const other = `whsec_${Buffer.alloc(32, 6).toString('base64')}`
    const body = JSON.stringify({ ...example('webhooks/signal-detected'), note: 'é\u2028' })
    const at = new Date()
    const [id, time] = ['evt_1', String(Math.floor(at.getTime() / 1000))]
    const sign = (hook: StandardWebhook | SvixWebhook) => hook.sign(id, at, body)
    const good = sign(new StandardWebhook(secret))
    const headers = (signature: string, more: object = {}) => ({
      'Webhook-Id': id,
      'webhook-timestamp': time,
      'WEBHOOK-SIGNATURE': signature,
      ...more,
    })
    const ofKey = (key: Buffer) => `v1,${createHmac('sha256', key).update(`evt_1.${time}.${body}`).digest('base64')}`
    const [none, short, enough] = [0, 23, 24].map((bytes) => Buffer.alloc(bytes, 1)) as [Buffer, Buffer, Buffer]
    const cases: [expected: string, headers: object, body: string, secret: string | null][] = [
      ['signal.detected', headers(good), body, secret],
      ['signal.detected', headers(sign(new SvixWebhook(secret))), body, secret.slice('whsec_'.length)],
      ['signal.detected', headers(`v1a,xx ${sign(new StandardWebhook(other))} ${good}`), body, secret],
      ['refused', headers(good), `${body} `, secret],
      ['refused', headers(good), body, other],
      ['refused', headers(good.replace('v1,', 'v2,')), body, secret],
      ['refused', headers('v1,é v1,'), body, secret],
      ['refused', headers(good, { 'Webhook-Id': 'evt_2' }), body, secret],
      ['refused', headers(good, { 'webhook-timestamp': String(Number(time) - 301) }), body, secret],
      ['refused', headers(good, { 'webhook-timestamp': String(Number(time) + 400) }), body, secret],
      ['refused', headers(good, { 'webhook-timestamp': '١٢' }), body, secret],
      ['refused', headers(good, { 'webhook-timestamp': '' }), body, secret],
      ['refused', {}, body, secret],
      // Absent or short, whatever such a key has signed.
      ['secret', headers(ofKey(none)), body, null],
      ['secret', headers(ofKey(none)), body, ''],
      ['secret', headers(ofKey(none)), body, 'whsec_'],
      ['secret', headers(ofKey(short)), body, `whsec_${short.toString('base64')}`],
      ['secret', {}, body, 'whsec_'],
      ['signal.detected', headers(ofKey(enough)), body, `whsec_${enough.toString('base64')}`],
    ]
    const program = `
import json, sys
from insider_trading import WebhookVerificationError, verify_webhook
told = []
for _, headers, body, secret in json.loads(sys.argv[1]):
    for each in [body, body.encode("utf-8")]:
        try:
            told.append(verify_webhook(each, headers, secret)["type"])
        except WebhookVerificationError:
            told.append("refused")
        except ValueError:
            told.append("secret")
print(json.dumps(told))`
    for (const python of pythons()) {
      const told = await runPython(python, program, [JSON.stringify(cases)])
      assert.deepEqual(
        told,
        cases.flatMap(([expected]) => [expected, expected]),
      )
    }
  })
})
