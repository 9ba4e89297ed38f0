// The document itself: valid, true to the interface specification, its examples true to it, and src/contract.ts drawn
// from it.
import { assert } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import openapiTS from 'openapi-typescript'
import { needsKey } from '../../src/infrastructure/http/middleware/authentication.ts'
import { loadDocument } from '../../src/infrastructure/http/openapi/document.ts'
import { STATUS } from '../../src/infrastructure/http/middleware/error-handler.ts'
import { contract, schemaFaults } from '../support/http/contract-client.ts'

const file = new URL('../../openapi/openapi.yaml', import.meta.url)
const schemas = contract.components.schemas

/** Every node of the document with its JSON pointer. */
function* nodes(node: any, pointer = ''): Generator<[pointer: string, node: any]> {
  if (typeof node !== 'object' || node === null) return
  yield [pointer, node]
  for (const [key, child] of Object.entries(node)) {
    yield* nodes(child, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}

const all = [...nodes(contract)]

function followed(reference: string): any {
  return reference
    .slice(2)
    .split('/')
    .reduce((at: any, part) => at?.[part.replaceAll('~1', '/')], contract)
}

describe('openapi.yaml', () => {
  it('is a valid OpenAPI 3.1 document', () => {
    const path = 'express-openapi-validator/dist/framework/openapi.v3_1.modified.schema.json'
    const meta = createRequire(import.meta.url)(path)
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    // As it is served. On disk its examples are relative references, which the specification allows and its own schema
    // does not.
    const valid = ajv.validate(meta, loadDocument().json)
    assert.strictEqual(valid, true, ajv.errorsText())
  })

  it('has only references that resolve', () => {
    const broken = all.filter(([, node]) => typeof node.$ref === 'string' && followed(node.$ref) === undefined)
    assert.deepEqual(
      broken.map(([pointer, { $ref }]) => `${pointer}: ${$ref}`),
      [],
    )
  })

  it('closes every object', () => {
    const objects = Object.entries<any>(schemas)
      .flatMap(([name, schema]) => [...nodes(schema, name)])
      .filter(([, node]) => node.type === 'object' && node.properties)
    assert.isAbove(objects.length, 25)
    const open = objects.filter(([, node]) => node.additionalProperties !== false)
    assert.deepEqual(
      open.map(([pointer]) => pointer),
      [],
    )
  })

  it('requires all properties of an object except optional ones', () => {
    // A cell without a footnote is absent from CellFootnotes, whichever it is.
    const { CellFootnotes: _cells, ...others } = schemas
    const optional = Object.entries<any>(others).flatMap(([name, { properties = {}, required = [] }]) =>
      Object.keys(properties)
        .filter((key) => !required.includes(key))
        .map((key) => `${name}.${key}`),
    )
    assert.deepEqual(optional.sort(), [
      'Alert.minSeverity',
      'Alert.signalTypes',
      'AlertDestination.format',
      'AlertFilter.firstBuyInYears',
      'AlertFilter.insiderCiks',
      'AlertFilter.issuerCiks',
      'AlertFilter.late',
      'AlertFilter.maxHoldingChange',
      'AlertFilter.maxShares',
      'AlertFilter.maxValue',
      'AlertFilter.minHoldingChange',
      'AlertFilter.minShares',
      'AlertFilter.minSignificance',
      'AlertFilter.minValue',
      'AlertFilter.ownership',
      'AlertFilter.plan10b51',
      'AlertFilter.roles',
      'AlertFilter.routine',
      'AlertFilter.sectors',
      'AlertFilter.tickers',
      'AlertFilter.transactionCodes',
      'AlertFilter.transactionTypes',
      'AlertMatches.notices',
      'AlertSettings.detail',
      'AlertSettings.enabled',
      'AlertSettings.events',
      'AlertSettings.filter',
      'AlertSettings.minSeverity',
      'AlertSettings.signalTypes',
      // With `detail=full`, as that of insiders.
      'CompanyProfile.lateFilings',
      'DataSetChangeData.issuerCiks',
      'DataSetChangeData.periods',
      'DeliveryPage.nextCursor',
      'ErrorDetail.code',
      'FeedPage.nextCursor',
      'FilingDecision.notices',
      'FilingPage.nextCursor',
      'InsiderProfile.lateFilings',
      'InsiderProfile.record',
      'InsiderRecord.returns',
      'NoticePage.nextCursor',
      'Rankings.companies',
      'Rankings.insiders',
      'Readiness.ingestion',
      'ReturnAverage.benchmark',
      'ReturnAverage.benchmarkN',
      'SignalChangeData.status',
      'SignalEventData.matched',
      'SignalEventData.matchedOmitted',
      'SignalPage.nextCursor',
      'SignalRule.returns',
      'StoreCheck.error',
      'Transaction.detail',
      'TransactionChangeData.omitted',
      'TransactionChangeData.removed',
      'TransactionChangeData.superseded',
      'TransactionDetail.notices',
      'TransactionDetail.planAdoptedOn',
      'TransactionDetail.planAdoptedSource',
      'TransactionDetail.return1m',
      'TransactionDetail.return1w',
      'TransactionDetail.return6m',
      'WatchedCompany.detail',
      'WatchedCompany.notices',
      'WatchedCompany.webhook',
      'WatchlistAddition.detail',
      'WatchlistAddition.notices',
      'WatchlistAddition.webhookUrl',
      'WatchlistEntry.detail',
      'WatchlistEntry.notices',
      'WatchlistEntry.warning',
      'WatchlistEntry.webhookUrl',
    ])
  })

  it('says of every operation whether it needs a key', () => {
    for (const [path, item] of Object.entries<any>(contract.paths)) {
      for (const { operationId, security } of Object.values<any>(item)) {
        assert.deepEqual(security, needsKey(path) ? [{ apiKey: [] }] : [], operationId)
      }
    }
  })

  it('has no text that a comma split in two', () => {
    // An unquoted `{ description: One, two }` reads as a description `One` and a key `two` without a value.
    const cut = [...nodes(contract, '')].flatMap(([pointer, node]) =>
      Object.entries(node)
        .filter(([, value]) => value === null && !Array.isArray(node))
        .map(([key]) => `${pointer}: ${key}`),
    )
    assert.deepEqual(cut, [])
  })

  it('has the same error codes as the code', () => {
    assert.deepEqual([...schemas.ErrorCode.enum].sort(), Object.keys(STATUS).sort())
  })

  it('has the same status for each error code as the code', () => {
    for (const [, node] of all) {
      for (const [status, response] of Object.entries<any>(node.responses ?? {})) {
        if (!/^\d{3}$/.test(status)) continue
        const body = (response.$ref ? followed(response.$ref) : response).content?.['application/json']?.schema
        const { const: one, enum: several } = body?.allOf?.[1]?.properties?.error?.properties?.code ?? {}
        for (const code of several ?? (one ? [one] : [])) {
          assert.strictEqual(STATUS[code as keyof typeof STATUS], Number(status), code)
        }
      }
    }
  })
})

// Name to type, word for word from the interface specification. "number" there is kept by integers too.
const SPECIFIED: Record<string, Record<string, string>> = {
  Transaction: {
    id: 'string',
    ticker: 'string',
    companyName: 'string',
    insiderName: 'string',
    insiderTitle: 'string',
    transactionType: 'string',
    shares: 'number',
    pricePerShare: 'number',
    totalValue: 'number',
    filingDate: 'string',
    significance: 'string',
    signals: 'array',
  },
  Signal: {
    id: 'string',
    type: 'string',
    severity: 'string',
    ticker: 'string',
    companyName: 'string',
    description: 'string',
    insiderCount: 'number',
    totalValue: 'number',
    detectedAt: 'string',
  },
  CompanyProfile: {
    ticker: 'string',
    name: 'string',
    exchange: 'string',
    sector: 'string',
    totalBuys: 'number',
    totalSells: 'number',
    netSentiment: 'number',
    recentTransactions: 'array',
    topInsiders: 'array',
  },
  InsiderProfile: {
    cik: 'string',
    name: 'string',
    titles: 'array',
    companies: 'array',
    stats: 'object',
    recentTransactions: 'array',
  },
  InsiderStats: { totalBuys: 'number', totalSells: 'number' },
  WatchlistEntry: { ticker: 'string', addedAt: 'string', webhookUrl: 'string', warning: 'string' },
  WatchedCompany: { ticker: 'string', addedAt: 'string' },
  Watchlist: { companies: 'array' },
  FeedStatistics: { topSignals: 'array', topBuys: 'array', topSells: 'array' },
  FeedPage: { transactions: 'array', hasMore: 'boolean', nextCursor: 'string' },
  // nextCursor is the one addition
  SignalPage: { signals: 'array', hasMore: 'boolean', nextCursor: 'string' },
  RemovalResponse: { success: 'boolean' },
}

const ASKED_FOR = [
  'Transaction.detail',
  'CompanyProfile.lateFilings',
  'InsiderProfile.lateFilings',
  'InsiderProfile.record',
  'WatchedCompany.detail',
  'WatchedCompany.notices',
  'WatchedCompany.webhook',
  'WatchlistEntry.detail',
  'WatchlistEntry.notices',
]

function typeOf(schema: any): string {
  const target = schema.$ref ? followed(schema.$ref) : schema.allOf ? followed(schema.allOf[0].$ref) : schema
  return target.type === 'integer' ? 'number' : target.type
}

describe('the resources of the interface specification', () => {
  for (const [name, fields] of Object.entries(SPECIFIED)) {
    it(`${name} has exactly its fields and types`, () => {
      // These are there only where they are asked for.
      const documented = Object.entries<any>(schemas[name].properties)
        .filter(([field]) => !ASKED_FOR.includes(`${name}.${field}`))
        .map(([field, schema]) => [field, typeOf(schema)])
      assert.deepEqual(Object.fromEntries(documented), fields)
    })
  }

  it('SignalType and Severity have exactly their values', () => {
    const types = ['cluster_buy', 'cluster_sell', 'unusual_size', 'ceo_trade', 'reversal']
    assert.deepEqual(schemas.SignalType.enum, types)
    assert.deepEqual(schemas.Severity.enum, ['critical', 'high', 'medium', 'low'])
  })
})

describe('the examples of the contract', () => {
  const files = readdirSync(new URL('examples/', file), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => `./examples/${name.replaceAll('\\', '/')}`)
  const uses = all
    .filter(([, { examples, schema }]) => schema && examples && !Array.isArray(examples))
    .flatMap(([pointer, { examples }]) =>
      Object.values<any>(examples)
        .filter(({ $ref }) => $ref)
        .map(({ $ref }) => ({ pointer, file: followed($ref).externalValue as string })),
    )

  it('are all used, and each use has its file', () => {
    assert.deepEqual([...new Set(uses.map((use) => use.file))].sort(), files.sort())
  })

  it('conform to the schemas that they illustrate', () => {
    assert.isAbove(uses.length, 40)
    for (const use of uses) {
      const value = JSON.parse(readFileSync(new URL(use.file, file), 'utf8'))
      assert.deepEqual(schemaFaults(`${use.pointer}/schema`, value), [], `${use.file} at ${use.pointer}`)
    }
  })

  it('are there for every JSON body of the contract', () => {
    const bare = all.filter(
      ([pointer, { schema, examples }]) => pointer.endsWith('/application~1json') && schema && !examples,
    )
    const itself = '/paths/~1openapi.json/get/responses/200/content/application~1json'
    assert.deepEqual(
      bare.map(([pointer]) => pointer),
      [itself],
    )
  })

  it('are refused when a field is added, dropped or mistyped', () => {
    const page = JSON.parse(readFileSync(new URL('examples/feed-page.json', file), 'utf8')).data
    const faults = (changed: object) => schemaFaults('/components/schemas/FeedPage', { ...page, ...changed })
    assert.deepEqual(faults({}), [])
    assert.lengthOf(faults({ total: 3 }), 1)
    assert.notDeepEqual(faults({ hasMore: false }), [])
    assert.notDeepEqual(faults({ nextCursor: undefined }), [])
    const first = page.transactions[0]
    assert.lengthOf(faults({ transactions: [{ ...first, shares: '25000' }] }), 1)
    assert.lengthOf(faults({ transactions: [{ ...first, filingDate: '2030-03-04T21:15:09.000Z' }] }), 1)
  })
})

describe('the version of the API', () => {
  const text = (path: string) => readFileSync(new URL(path, file), 'utf8')

  it('is the newest in its changelog, and its major version is in every path of the API', () => {
    const { version } = contract.info
    const newest = /^## (\S+)$/m.exec(text('CHANGELOG.md'))?.[1]

    assert.strictEqual(newest, version)
    const paths = Object.keys(contract.paths).filter((path) => /^\/v\d/.test(path))
    assert.isNotEmpty(paths)
    for (const path of paths) assert.strictEqual(path.split('/')[1], `v${version.split('.')[0]}`)
  })

  it('is told apart from the version of the software in openapi/README.md', () => {
    const software = JSON.parse(text('../package.json')).version

    assert.include(text('README.md'), `The API is at version ${contract.info.version} (`)
    assert.include(text('README.md'), `is at version ${software} (\`package.json\``)
  })
})

describe('src/contract.ts', () => {
  it('equals what the generator makes of the document (otherwise run make contract)', async () => {
    const kept = readFileSync(new URL('../../src/contract.ts', import.meta.url), 'utf8')
    assert.strictEqual(kept, await openapiTS(file))
  })
})
