// Random rules over random histories, with amendments, joint filings and signals that grow and end. For each rule the
// outbox must have exactly the events that streams give for the same filter, and for each event exactly the
// transactions that pass. `volume` below sets how many.
import { assert } from 'chai'
import { webhookBodies } from '../../../src/application/alerts/webhook-body.ts'
import { rowFilterOf, conditionsOf } from '../../../src/application/alerts/rule-filter.ts'
import {
  changePasses,
  factsOfTrade,
  rowPasses,
  type ChangeFacts,
} from '../../../src/application/changes/change-facts.ts'
import type { AlertFilter, EventType, RuleSettings } from '../../../src/application/ports/alerts.ts'
import type { ChangeFilter, ChangeType } from '../../../src/application/queries/change-queries.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { companyKey } from '../../../src/domain/filings/ticker-symbol.ts'
import { SIGNAL_TYPES } from '../../../src/domain/signals/signal.ts'
import { SEVERITIES } from '../../../src/domain/trades/significance.ts'
import { OWNER_ROLES, OWNERSHIPS, PLANS } from '../../../src/domain/trades/transaction-filter.ts'
import { showKeyDelivery } from '../../../src/infrastructure/postgres/queries/key-deliveries.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import { hashOf, seeded } from '../../support/edgar/invented/seeded.ts'
import { arbitraryWorld, WORLD_ISSUERS, WORLD_OWNERS } from '../../support/filings/arbitrary-world.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { volume } from '../../support/volume.ts'

const HISTORIES = volume('random histories of rules', 1, 20)
const [FILINGS, RULES] = [60, 80]
const EVENTS: EventType[] = ['transaction.created', 'transaction.amended', 'signal.detected', 'signal.escalated']

/** Settings with up to four conditions; everything follows from the seed. */
function randomRule(seed: number, number: number): RuleSettings {
  const chance = seeded(hashOf(seed, `rule ${number}`))
  const of = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!
  const some = <T>(list: readonly T[]): T[] => {
    const chosen = list.filter(() => chance() < 0.4)
    return chosen.length > 0 ? chosen : [of(list)]
  }
  const conditions: (() => AlertFilter)[] = [
    () => ({ tickers: some(WORLD_ISSUERS.map(({ ticker }) => ticker)) }),
    () => ({ issuerCiks: some(WORLD_ISSUERS.map(({ cik }) => cik)) }),
    () => ({ insiderCiks: some(WORLD_OWNERS.map(({ cik }) => cik)) }),
    () => ({ transactionTypes: some(['buy', 'sell', 'award', 'other'] as const) }),
    () => ({ transactionCodes: some(['P', 'S', 'A', 'none']) }),
    () => ({ roles: some(OWNER_ROLES) }),
    () => ({ sectors: some(['Industrials', 'Energy', 'Unknown', 'Technology', 'Materials'] as const) }),
    () => ({ ownership: of(OWNERSHIPS) }),
    () => ({ plan10b51: some(PLANS) }),
    () => ({ routine: of(['yes', 'no'] as const) }),
    () => ({ late: chance() < 0.5 }),
    () => ({ firstBuyInYears: of([1, 2, 10]) }),
    () => ({ minHoldingChange: of([-0.5, 0, 0.1]) }),
    () => ({ maxHoldingChange: of([-0.1, 0.5]) }),
    () => ({ minSignificance: of(SEVERITIES) }),
    () => ({ minValue: of([0, 30_000, 94_500, 600_000]) }),
    () => ({ maxValue: of([0.01, 30_000, 600_000]) }),
    () => ({ minShares: of([1_500, 3_000.5, 60_000]) }),
    () => ({ maxShares: of([1_500, 9_000]) }),
  ]
  const filter = Object.assign({}, ...Array.from({ length: Math.floor(chance() * 4) }, () => of(conditions)()))
  return {
    name: `rule ${number}`,
    enabled: true,
    events: some(EVENTS),
    filter,
    signalTypes: chance() < 0.3 ? some(SIGNAL_TYPES) : null,
    minSeverity: chance() < 0.3 ? of(SEVERITIES) : null,
    destination: { url: `https://alerts.example.com/${number}`, format: 'standard' },
    detail: chance() < 0.3,
  }
}

describe('rules and the stream', function () {
  this.timeout(60_000 + HISTORIES * 60_000)
  let service: TestService
  let now = 0
  afterEach(() => service.close())

  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    it(`give the same for the same filters, history ${seed}`, async () => {
      service = await testService(() => now)
      await service.pool.query(`INSERT INTO api_keys (id, name, secret_hash, webhook_secret) VALUES ('a', 'a', '', '')`)
      const store = service.container.get(TYPES.alertRuleStore)
      const rules = new Map<string, RuleSettings>()
      for (let number = 0; number < RULES; number += 1) {
        const id = `alr_${String(number).padStart(20, '0')}`
        rules.set(id, randomRule(seed, number))
        await store.add('a', id, rules.get(id)!, RULES)
      }
      const expected = new Map<string, Map<string, string[] | null>>([...rules.keys()].map((id) => [id, new Map()]))
      let position = 0
      for (const filing of arbitraryWorld(seed, FILINGS)) {
        now = filing.at * 1000 + 60_000
        await service.take({ path: filing.path, text: filing.text })
        await service.detectSignals()
        position = await expect(rules, expected, position)
      }

      const found = await rows<{ id: string; event: string; rule: string }>(
        service.pool,
        `SELECT id, event_id AS event, matched->0->>'id' AS rule FROM deliveries`,
      )
      const raised = new Map<string, Map<string, string[] | null>>([...rules.keys()].map((id) => [id, new Map()]))
      for (const { id, event, rule } of found) {
        const { body } = (await showKeyDelivery(service.pool, 'a', id, webhookBodies(null)))!
        const { data } = JSON.parse(body)
        assert.isFalse(raised.get(rule)!.has(event), `${rule} got ${event} twice`)
        raised.get(rule)!.set(event, data.transactions?.map((each: { id: string }) => each.id) ?? null)
      }
      for (const [id, settings] of rules)
        assert.deepEqual(sorted(raised.get(id)!), sorted(expected.get(id)!), JSON.stringify(settings))
      assert.isAbove(found.length, FILINGS)
      assert.isAbove(new Set(found.map(({ rule }) => rule)).size, RULES / 4)
    })
  }

  /** Notes what the log says since a position that streams with the rules' filters would give. */
  async function expect(
    rules: Map<string, RuleSettings>,
    expected: Map<string, Map<string, string[] | null>>,
    position: number,
  ): Promise<number> {
    // Filings whose acceptance is not known raise no event.
    const entries = await rows<{
      seq: number
      id: string
      type: Exclude<EventType, 'notice.created'>
      issuers: string[]
      facts: ChangeFacts
      data: string
    }>(
      service.pool,
      `SELECT seq, changes.id, changes.type, issuer_ciks AS issuers, facts, changes.data
       FROM changes JOIN events ON events.id = changes.id
       WHERE seq > $1
       ORDER BY seq`,
      [position],
    )
    const sectorOf = await service.textQueries.sectors()
    for (const { id: event, type, issuers, facts, data } of entries) {
      const trades = await service.container.get(TYPES.analytics).trades(issuers)
      const { transactions, signal } = JSON.parse(data)
      const shown = new Set(transactions?.map((each: { id: string }) => each.id))
      const listed = trades.filter((trade) => shown.has(trade.id)).sort((a, b) => a.place - b.place)
      for (const [id, settings] of rules) {
        const asked = await streamFilter(settings)
        if (asked === null) continue
        const { insiders, transactions: conditions, ...rest } = asked
        const passes = (trade: (typeof trades)[number]) =>
          rowPasses({ insiders, transactions: conditions }, factsOfTrade(trade))
        const change = { type, issuerCiks: issuers, facts }
        if (signal) {
          // A stream leaves out no signal by conditions on transactions; a rule does by what the signal counts.
          if (!changePasses(rest, change, sectorOf)) continue
          if (settings.signalTypes && !settings.signalTypes.includes(signal.type)) continue
          const stored = await service.container.get(TYPES.signalStore).signals(issuers)
          const counted = new Set(stored.find((each) => each.signal.id === signal.id)!.signal.counted)
          const hasConditions = insiders !== undefined || conditions !== undefined
          if (hasConditions && !trades.some((trade) => counted.has(trade.id) && passes(trade))) continue
          expected.get(id)!.set(event, null)
        } else if (changePasses(asked, change, sectorOf)) {
          expected.get(id)!.set(
            event,
            listed.filter(passes).map((trade) => trade.id),
          )
        }
      }
    }
    return entries.at(-1)?.seq ?? position
  }

  /** Returns what `/v1/stream` makes of the same parameters; null where no symbol leads to a company yet. */
  async function streamFilter({ events, filter, minSeverity }: RuleSettings): Promise<ChangeFilter | null> {
    const { companies, insiderCiks, sectors } = rowFilterOf(filter)
    const conditions = conditionsOf(filter)
    const named = companies && (await service.textQueries.issuers(companies).catch(() => null))
    if (named === null) return null
    assert.isAtMost(companies?.map(companyKey).length ?? 0, 4)
    return {
      types: events as ChangeType[],
      ...(named && { issuers: named.issuers }),
      ...(sectors && { sectors }),
      ...(insiderCiks && { insiders: insiderCiks }),
      ...(Object.keys(conditions).length > 0 && { transactions: conditions }),
      ...(minSeverity && { minSeverity }),
    }
  }
})

const sorted = (events: Map<string, string[] | null>) => [...events].sort(([a], [b]) => (a < b ? -1 : 1))
