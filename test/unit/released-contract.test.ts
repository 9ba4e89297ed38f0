// The contract beside the last released one (openapi/released): what callers rely on is still there. Before a release,
// UPDATE_GOLDEN=1 records the contract under its version; a released file is never written again.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { contract } from '../support/http/contract-client.ts'
import { lossesOf, withoutWords } from '../support/http/contract-changes.ts'

type Json = Record<string, any>

const FOLDER = join(import.meta.dirname, '../../openapi/released')
const present = withoutWords(contract) as Json
const version = String(contract.info.version)

const numbersOf = (name: string) => name.split('.').slice(0, 3).map(Number)
const inOrder = (one: string, other: string) =>
  numbersOf(one)
    .map((number, index) => number - numbersOf(other)[index]!)
    .find((difference) => difference !== 0) ?? 0
const released = (): string[] => readdirSync(FOLDER).toSorted(inOrder)
const read = (name: string): Json => JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))

describe('the contract beside the released ones', () => {
  before(() => {
    const path = join(FOLDER, `${version}.json`)
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, `${JSON.stringify(present)}\n`)
    assert.isTrue(
      existsSync(path) || inOrder(released().at(-1)!, version) < 0,
      `${version} is older than what is released`,
    )
  })

  for (const name of released())
    it(`takes nothing away that ${name.slice(0, -5)} has`, () => assert.deepEqual(lossesOf(read(name), present), []))

  it('is newer where something was added', () => {
    const last = read(released().at(-1)!)
    if (String(last.info.version) === version) assert.deepEqual(present, last, 'info.version names a released contract')
  })

  describe('finds that', () => {
    const changed = (change: (copy: Json) => void) => {
      const copy = structuredClone(present)
      change(copy)
      return lossesOf(present, copy)
    }
    const feed = ({ paths }: Json) => paths['/v1/feed'].get
    const watch = ({ paths }: Json) => paths['/v1/watchlist'].post
    const parameter = (copy: Json, name: string) =>
      [...feed(copy).parameters, ...Object.values<Json>(copy.components.parameters)].find((each) => each.name === name)!

    const cases: [what: string, change: (copy: Json) => void, loss: RegExp][] = [
      ['a path is taken away', ({ paths }) => delete paths['/v1/signals'], /^GET \/v1\/signals is taken away$/],
      ['an operation is renamed', (copy) => (feed(copy).operationId = 'feed'), /^GET \/v1\/feed is named feed$/],
      [
        'a key is needed',
        (copy) => (feed(copy).security = [{ [Object.keys(copy.components.securitySchemes)[0]!]: [] }]),
        /^GET \/v1\/feed needs a key now$/,
      ],
      ['a status is taken away', (copy) => delete feed(copy).responses['400'], /^GET \/v1\/feed: status 400 is taken/],
      [
        'a parameter is taken away',
        (copy) => (feed(copy).parameters = feed(copy).parameters.slice(1)),
        /^GET \/v1\/feed: query \w+ is taken away$/,
      ],
      [
        'a parameter is required',
        (copy) =>
          feed(copy).parameters.push({ name: 'since', in: 'query', required: true, schema: { type: 'string' } }),
        /^GET \/v1\/feed: query since is required now$/,
      ],
      ['a bound is narrower', (copy) => (parameter(copy, 'limit').schema.maximum = 50), /query limit has maximum 50$/],
      ['a default differs', (copy) => (parameter(copy, 'limit').schema.default = 7), /query limit has default 7$/],
      [
        'a property of an answer is taken away',
        ({ components }) => delete components.schemas.Transaction.properties.shares,
        /^GET \/v1\/feed: 200\.data\.transactions\[\]\.shares is taken away$/,
      ],
      [
        'a property of an answer may be absent',
        ({ components: { schemas } }) =>
          schemas.Transaction.required.splice(schemas.Transaction.required.indexOf('shares'), 1),
        /transactions\[\]\.shares may be absent$/,
      ],
      [
        'a property of an answer may be null',
        ({ components: { schemas } }) => (schemas.Transaction.properties.shares = { type: ['number', 'null'] }),
        /transactions\[\]\.shares may be null$/,
      ],
      [
        'a property of a body is required',
        (copy) => {
          const { schema } = watch(copy).requestBody.content['application/json']
          const body = schema.$ref ? copy.components.schemas[schema.$ref.split('/').at(-1)] : schema
          body.required = [...body.required, 'webhookUrl']
        },
        /^POST \/v1\/watchlist: body\.webhookUrl is required now$/,
      ],
      [
        'an event of webhooks is taken away',
        ({ webhooks }) => delete webhooks['signal.detected'],
        /^signal\.detected is taken away$/,
      ],
      [
        'a field of an event is taken away',
        ({ components }) => delete components.schemas.SignalEventData.properties.signal,
        /^signal\.detected: body.*\.signal is taken away$/,
      ],
    ]
    for (const [what, change, loss] of cases)
      it(what, () =>
        assert.isTrue(
          changed(change).some((line) => loss.test(line)),
          changed(change).join('\n'),
        ),
      )

    it('a value of an input is taken away', () => {
      const lines = changed((copy) => (parameter(copy, 'filter').schema.enum = ['buys']))
      assert.include(lines, 'GET /v1/feed: query filter takes sells no more')
    })

    it('nothing is lost where something is added', () => {
      const added = changed((copy) => {
        copy.paths['/v2/feed'] = copy.paths['/v1/feed']
        copy.components.schemas.Transaction.properties.later = { type: 'string' }
        copy.components.schemas.Transaction.required.push('later')
        feed(copy).parameters.push({ name: 'later', in: 'query', schema: { type: 'string' } })
        parameter(copy, 'limit').schema.maximum = 1_000
        parameter(copy, 'filter').schema.enum.push('later')
      })
      assert.deepEqual(added, [])
    })
  })
})
