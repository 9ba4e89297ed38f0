// The alert rules over metrics of real processes: healthy ones, ones without each store, and ones with the cause of
// each rule. No rule fires without its cause, and each fires with it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { parse } from 'yaml'
import { needClickHouse } from '../../support/stores/clickhouse-server.ts'
import { publisher, settled, type Publish } from '../../support/edgar/checks/followed-stack.ts'
import type { Following } from '../../support/edgar/checks/agreement.ts'
import { inventedListings } from '../../support/edgar/invented/world.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { firingAlerts, needPromtool, type Samples } from '../../support/service/tools/promtool.ts'
import { roleProcesses, type RoleProcess, type RoleProcesses } from '../../support/service/processes/role-process.ts'
import { sharedStores, type SharedStores } from '../../support/stores/shared-stores.ts'

const { groups } = parse(readFileSync(join(import.meta.dirname, '../../../docker/alert-rules.yml'), 'utf8')) as {
  groups: { rules: { alert: string }[] }[]
}
const ALERTS = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
const ROLES = ['api', 'ingest', 'deliver']

describe('alert rules', function () {
  this.timeout(180_000)
  const fired = new Set<string>()
  let stores: SharedStores
  let processes: RoleProcesses
  let edgar: SimulatedEdgar
  let followed: Following & { publish: Publish }
  let healthy: Samples

  before(function () {
    needClickHouse(this)
  })
  before(function () {
    needPromtool(this)
  })
  before(async () => {
    ;[stores, edgar] = await Promise.all([
      sharedStores(),
      startSimulatedEdgar({ seed: 47, companies: inventedListings(), rate: { most: null } }),
    ])
    const following = {
      EDGAR_BASE_URL: edgar.url,
      EDGAR_USER_AGENT: 'Example Tests tests@example.com',
      EDGAR_POLL_SECONDS: '1',
    }
    processes = roleProcesses({ ...stores.variables, ...following })
    for (const role of ROLES) await processes.start(role)
    await Promise.all(processes.all.map((each) => each.ready()))
    followed = { address: processes.all[0]!.address, query: stores.query, ...publisher(edgar, 47) }
    followed.publish(6)
    await settled(followed, 60)
    healthy = await figures(
      (samples) =>
        total(samples, 'ingestion_projected_filings_total') > 0 && total(samples, 'signals_waiting_issuers') === 0,
    )
  })
  after(async () => {
    await processes?.close()
    await edgar?.close()
    await stores?.close()
  })

  /** Returns what a scrape of all processes gives, once it is as it should be. */
  async function figures(isRight: (samples: Samples) => boolean): Promise<Samples> {
    for (let tries = 0; ; tries += 1) {
      const samples = new Map((await Promise.all(processes.all.map(scrape))).flat())
      if (isRight(samples)) return samples
      if (tries === 60) {
        const own = [...samples].filter(([name]) => /^(service|ingestion)_/.test(name))
        throw new Error(`the figures did not come: ${JSON.stringify(own)}`)
      }
      await sleep(500)
    }
  }

  /** Resolves once all works again: what is published is projected, and every process is ready. */
  async function recovered(): Promise<Samples> {
    followed.publish(1)
    await settled(followed, 60)
    return figures((samples) => total(samples, 'service_ready') === ROLES.length)
  }

  /** Returns what fires after 30 healthy minutes and `minutes` of these figures. */
  function firing(minutes: number, at: (minute: number) => Samples, healthyFirst = 30): string[] {
    const alerts = firingAlerts({
      minutes: healthyFirst + minutes,
      at: (minute) => (minute < healthyFirst ? healthy : at(minute - healthyFirst)),
    })
    for (const alert of alerts) fired.add(alert)
    return alerts
  }

  it('do not fire over healthy processes, nor in their first minutes', () => {
    assert.deepEqual(
      firing(60, () => healthy),
      [],
    )
    assert.deepEqual(
      firing(3, () => healthy, 0),
      [],
    )
  })

  it('fire while PostgreSQL is gone, and its metrics are absent instead of 0', async () => {
    await stores.proxies.postgres.set('refuse')
    const without = await figures((samples) => samples.get(`service_store_up{store="postgres",${target('api')}}`) === 0)
    await stores.proxies.postgres.set('pass')
    await recovered()

    assert.deepEqual(
      [...without.keys()].filter((name) => /^(ingestion_(?!projected)|webhook_(?!attempt|stream)|signals_)/.test(name)),
      [],
    )
    assert.deepEqual(
      firing(15, () => without),
      ['FiguresMissing', 'ServiceNotReady', 'StoreDown'],
    )
    assert.deepEqual(
      firing(30, (minute) => (minute < 15 ? without : healthy)),
      [],
    )
    // A restart of the store raises none.
    assert.deepEqual(
      firing(1, () => without),
      [],
    )
  })

  it('fire while ClickHouse is gone and filings wait', async () => {
    await stores.clickHouse.kill()
    followed.publish(3)
    const without = await figures(
      (samples) =>
        total(samples, 'ingestion_backlog{state="projection"') > 0 &&
        samples.get(`service_store_up{store="clickhouse",${target('api')}}`) === 0,
    )
    await stores.clickHouse.start()

    assert.includeMembers(
      firing(20, () => without),
      ['NothingProjected', 'ServiceNotReady', 'StoreDown'],
    )
    const back = await recovered()
    assert.deepEqual(
      firing(40, (minute) => (minute < 20 ? without : back)),
      [],
    )
  })

  it('fire while Redis is gone, for the role that needs it', async () => {
    await stores.proxies.redis.set('refuse')
    const without = await figures((samples) => samples.get(`service_ready{${target('deliver')}}`) === 0)
    await stores.proxies.redis.set('pass')

    assert.strictEqual(without.get(`service_ready{${target('api')}}`), 1)
    assert.deepEqual(
      firing(15, () => without),
      ['ServiceNotReady', 'StoreDown'],
    )
  })

  it('fire if a process is gone, and if the last one of a role is', () => {
    const without = new Map([...healthy].filter(([name]) => !name.includes(target('deliver'))))
    without.set(`up{${target('deliver')}}`, 0)

    assert.deepEqual(
      firing(15, () => without),
      ['FiguresMissing', 'NoActiveProcess', 'ServiceDown'],
    )
  })

  const changes: [string, string, number, Record<string, (minute: number) => number>][] = [
    ['EDGAR is open and silent', 'EdgarSilent', 15, { 'ingestion_silent{': () => 1 }],
    ['filings come late', 'FilingsLate', 15, { 'ingestion_lag_seconds{since="seen",quantile="0.95"': () => 61 }],
    ['signals wait for over an hour', 'SignalsWaiting', 65, { 'signals_waiting_issuers{': () => 12 }],
    [
      'documents of today could not be read',
      'FilingsRejected',
      20,
      { 'ingestion_backlog{state="rejected"': (minute) => (minute < 5 ? 0 : 3) },
    ],
    ['alerts are given up', 'AlertsDead', 20, { 'webhook_deliveries{state="dead"': (minute) => (minute < 5 ? 0 : 1) }],
    [
      'an address is disabled',
      'AddressDisabled',
      20,
      { 'webhook_addresses{state="disabled"': (minute) => (minute < 5 ? 0 : 1) },
    ],
    ['webhooks are due and not sent', 'AlertsStuck', 15, { 'webhook_oldest_due_seconds{': (minute) => 60 * minute }],
  ]
  for (const [what, alert, minutes, values] of changes) {
    it(`fire where ${what}`, () => {
      const at = (minute: number) => changed(healthy, values, minute)
      assert.deepEqual(firing(minutes, at), [alert])
      // In the first hour of a new installation as well.
      assert.deepEqual(firing(minutes, at, 0), [alert])
    })
  }

  it('do not fire about documents and addresses that were given up long ago', () => {
    const old = {
      'ingestion_backlog{state="rejected"': () => 40,
      'webhook_deliveries{state="dead"': () => 7,
      'webhook_addresses{state="disabled"': () => 2,
    }
    assert.deepEqual(
      firing(30, (minute) => changed(healthy, old, minute), 0),
      [],
    )
  })

  it('fire where filings of a day are missing for half a day', () => {
    const missing = new Map([
      ...healthy,
      [`ingestion_day_filings{day="2026-11-20",count="listed",${target('api')}}`, 900],
      [`ingestion_day_filings{day="2026-11-20",count="known",${target('api')}}`, 890],
    ])
    assert.deepEqual(
      firing(12 * 60 + 5, () => missing),
      ['DayIncomplete'],
    )
    assert.deepEqual(
      firing(6 * 60, () => missing),
      [],
    )
  })

  it('fire where answers fail or are slow', () => {
    const requests =
      (status: string, seconds: number) =>
      (minute: number): Samples =>
        new Map([
          ...healthy,
          [
            `http_request_duration_seconds_count{operation="listFeed",status="${status}",${target('api')}}`,
            600 * minute,
          ],
          ...[0.1, 0.5, 1, 2.5].map((le): [string, number] => [
            `http_request_duration_seconds_bucket{le="${le}",operation="listFeed",status="${status}",${target('api')}}`,
            le >= seconds ? 600 * minute : 0,
          ]),
          [
            `http_request_duration_seconds_bucket{le="+Inf",operation="listFeed",status="${status}",${target('api')}}`,
            600 * minute,
          ],
        ])
    assert.deepEqual(firing(20, requests('5xx', 0.1)), ['ServerErrors'])
    assert.deepEqual(firing(20, requests('2xx', 1)), ['SlowAnswers'])
    assert.deepEqual(firing(20, requests('2xx', 0.1)), [])
  })

  it('fire where ClickHouse returned answers that were not of their statements', () => {
    const bad = 'clickhouse_bad_answers_total{'
    const counted = (minute: number) => changed(healthy, { [bad]: (at) => (at > 10 ? 1 : 0) }, minute)
    assert.deepEqual(firing(20, counted), ['BadAnswers'])
  })

  it('say that nothing is projected only if nothing is, not while a backlog changes', () => {
    const backlog = 'ingestion_backlog{state="projection"'
    const counter = 'ingestion_projected_filings_total{'
    const still = (minute: number) => changed(healthy, { [backlog]: () => 5_000 }, minute)
    assert.deepEqual(firing(20, still), ['NothingProjected'])
    for (const waiting of [(minute: number) => 100_000 - 1_000 * minute, (minute: number) => 1_000 + 500 * minute]) {
      const working = (minute: number) =>
        changed(healthy, { [backlog]: waiting, [counter]: (at) => 10 + 1_000 * at }, minute)
      assert.deepEqual(firing(40, working), [])
    }
  })

  it('have all fired above', () => {
    assert.deepEqual(
      ALERTS.filter((alert) => !fired.has(alert)),
      [],
    )
  })
})

/** Labels that a scrape adds. */
const target = (role: string) => `instance="${role}",job="insider-trading"`

async function scrape({ address, roles }: RoleProcess): Promise<[string, number][]> {
  const text = await (await fetch(`${address}/metrics`)).text()
  const samples = [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)]
    .filter(([, name]) => /^(service|ingestion|signals|webhook|http)_/.test(name!))
    .map(([, name, labels, value]): [string, number] => [
      `${name}{${labels ? `${labels},` : ''}${target(roles)}}`,
      Number(value),
    ])
  return [...samples, [`up{${target(roles)}}`, 1]]
}

/** Sums the series whose names begin so. */
function total(samples: Samples, start: string): number {
  return [...samples].filter(([name]) => name.startsWith(start)).reduce((sum, [, value]) => sum + value, 0)
}

/** Replaces the values of the series whose names begin so, and adds one for the api where there is none. */
function changed(samples: Samples, values: Record<string, (minute: number) => number>, minute: number): Samples {
  const result = new Map(samples)
  for (const [start, value] of Object.entries(values)) {
    const names = [...samples.keys()].filter((name) => name.startsWith(start))
    if (names.length === 0) names.push(`${start}${start.endsWith('{') ? '' : ','}${target('api')}}`)
    for (const name of names) result.set(name, value(minute))
  }
  return result
}
