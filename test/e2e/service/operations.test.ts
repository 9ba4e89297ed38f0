// Dashboard and alert rules for operators: every metric that they query exists, with the labels that they name.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { parse } from 'yaml'
import { call } from '../../support/http/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'

const root = join(import.meta.dirname, '../../..')
const dashboard = JSON.parse(readFileSync(join(root, 'docker/grafana-dashboard.json'), 'utf8')) as {
  panels: { title: string; targets?: { expr: string }[] }[]
}
const { groups } = parse(readFileSync(join(root, 'docker/alert-rules.yml'), 'utf8')) as {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string; action: string } }[] }[]
}
const panels = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
const rules = groups.flatMap((group) => group.rules)

/** Metrics of an expression with the label values it picks by `=`. */
function metricsOf(expr: string): { name: string; labels: Record<string, string> }[] {
  return [...expr.matchAll(/\b([a-z]+_[a-z0-9_]+)\b(?:\{([^}]*)\})?/g)]
    .filter(([, name]) => !/^(histogram_quantile|min_over_time)$/.test(name!))
    .map(([, name, labels = '']) => ({
      name: name!,
      labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!])),
    }))
}

describe('dashboard and alert rules', function () {
  this.timeout(120_000)
  let stack: StackOfTest
  let metrics = ''
  before(async () => {
    stack = await stackOfTest()
    await stack.make('up')
    await stack.make('ingest', { FROM: 'test/fixtures/filings' })
    await call(stack.address, 'GET', '/v1/feed')
    metrics = (await call(stack.address, 'GET', '/metrics')).body as string
  })
  after(() => stack.remove())

  // Figures of what has not happened yet: they have no value until then.
  const LATER = /^(ingestion_lag_seconds|ingestion_day_filings|webhook_attempt)/

  const expectThere = (expr: string) => {
    const found = metricsOf(expr)
    assert.notDeepEqual(found, [], expr)
    for (const { name, labels } of found) {
      assert.match(metrics, new RegExp(`^# TYPE ${name.replace(/_(bucket|count|sum)$/, '')} `, 'm'), name)
      for (const [label, value] of Object.entries(labels)) {
        if (LATER.test(name) || value === '5xx' || value === 'false') continue
        assert.match(metrics, new RegExp(`^${name}\\{[^}]*${label}="${value}"`, 'm'), `${name} ${label}`)
      }
    }
  }

  for (const { title, expr } of panels)
    it(`the dashboard's "${title}" has its figures: ${expr}`, () => expectThere(expr))
  // `up` is Prometheus' own figure of a target.
  for (const { alert, expr } of rules.filter((rule) => !rule.expr.startsWith('up{')))
    it(`the alert ${alert} has its figures`, () => expectThere(expr))

  it('alerts say what is the matter and what to do, and name commands that are there', () => {
    const makefile = readFileSync(join(root, 'Makefile'), 'utf8')
    for (const { alert, annotations } of rules) {
      assert.typeOf(annotations.summary, 'string', alert)
      assert.typeOf(annotations.action, 'string', alert)
      for (const [, target] of annotations.action.matchAll(/make ([a-z-]+)/g))
        assert.match(makefile, new RegExp(`^${target}:`, 'm'), target)
    }
  })

  it('each request leaves one line with what to search by, and no secret', async () => {
    const id = 'operations-1'
    await call(stack.address, 'GET', '/v1/watchlist', {
      headers: { 'x-request-id': id, authorization: 'Bearer itd_abcdefghij_secret' },
    })
    const written = () =>
      readFileSync(join(stack.dataDir, 'logs/service.log'), 'utf8')
        .split('\n')
        .find((text) => text.includes(id))
    // It is written once the answer is through, which may be after we have it.
    for (let tries = 0; tries < 1_200 && !written(); tries += 1) await sleep(50)
    const line = JSON.parse(written() ?? 'null')
    assert.containsAllKeys(line, [
      'operationId',
      'method',
      'path',
      'status',
      'errorCode',
      'durationMs',
      'bytes',
      'address',
      'userAgent',
    ])
    assert.deepInclude(line, {
      operationId: 'listWatchlist',
      status: 401,
      errorCode: 'invalid_api_key',
      msg: 'request',
    })
    assert.notInclude(JSON.stringify(line), 'abcdefghij')
  })
})
