// The table of tools as a client lists it: held to a recording, to a size that fits beside other servers' tools, and to
// the contract's parameters. UPDATE_GOLDEN=1 records; read the difference before you commit it.
import { readFileSync, writeFileSync } from 'node:fs'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { assert } from 'chai'
import { failureText } from '../../../../src/infrastructure/mcp/failures.ts'
import { protocolServer } from '../../../../src/infrastructure/mcp/server.ts'
import { TOOLS, withLists } from '../../../../src/infrastructure/mcp/tools.ts'
import { STATUS } from '../../../../src/infrastructure/http/middleware/error-handler.ts'
import { contract } from '../../../support/http/contract-client.ts'

const RECORDING = new URL('../../../fixtures/golden/mcp-tools.json', import.meta.url)
const MAX_BYTES = 9_500
const MAX_TOOLS = 13

/** The operation that has a tool's arguments as its parameters, and those that are the tool's own. */
const OPERATIONS: Record<string, { of: string[]; own?: string[] }> = {
  insider_search: { of: ['search'] },
  insider_company: { of: ['getCompany'], own: ['months'] },
  insider_person: { of: ['getInsider'] },
  insider_trades: { of: ['listFeed'] },
  insider_notices: { of: ['listNotices'] },
  insider_signals: { of: ['listSignals'] },
  insider_explain_signal: { of: ['getSignal'] },
  insider_market: { of: ['getRankings', 'getSentiment'] },
  insider_coverage: { of: ['getStatus'] },
  search: { of: ['search'], own: ['query'] },
  fetch: { of: ['getFiling'], own: ['id'] },
  insider_watchlist: { of: ['listWatchlist'] },
  insider_watch: { of: ['getCompany'] },
  insider_unwatch: { of: ['removeFromWatchlist'] },
}

async function listed(hasKey: boolean) {
  const ask = () => Promise.reject(new Error('a list asks nothing'))
  const server = protocolServer({ ask, hasKey, version: '1.0.0', onFailure: (error) => assert.fail(String(error)) })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1.0.0' })
  await Promise.all([server.connect(ours), client.connect(theirs)])
  const { tools } = await client.listTools()
  await client.close()
  return tools
}

const operation = (id: string): any =>
  Object.values<any>(contract.paths)
    .flatMap((item) => Object.values<any>(item))
    .find(({ operationId }) => operationId === id)

function resolved(node: any): any {
  if (node.$ref === undefined) return node
  const { $ref, ...own } = node
  const target = $ref
    .slice(2)
    .split('/')
    .reduce((at: any, name: string) => at[name], contract)
  return { ...resolved(target), ...own }
}

const withoutWords = ({ description: _, examples: __, example: ___, ...schema }: any) => schema

describe('the list of tools', () => {
  it('is the recorded one, without a key and with one', async () => {
    const lists = { public: await listed(false), withKey: await listed(true) }
    const text = `${JSON.stringify(lists, null, 2)}\n`
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(RECORDING, text)
    assert.strictEqual(text, readFileSync(RECORDING, 'utf8'))
    for (const tools of Object.values(lists)) {
      assert.isAtMost(tools.length, MAX_TOOLS)
      assert.isAtMost(Buffer.byteLength(JSON.stringify({ tools })), MAX_BYTES)
    }
  })

  it('has titles and hints, no structured output, and nothing that sets an address', async () => {
    for (const { name, title, annotations, inputSchema, outputSchema } of await listed(true)) {
      assert.isNotEmpty(title, name)
      assert.hasAllKeys(annotations, ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'], name)
      assert.strictEqual(annotations!.readOnlyHint, !/_(un)?watch$/.test(name), name)
      assert.strictEqual(annotations!.destructiveHint, name === 'insider_unwatch', name)
      assert.isUndefined(outputSchema, name)
      assert.notMatch(JSON.stringify(inputSchema), /url|webhook|address/i, name)
    }
  })

  for (const { name, properties, required = [] } of TOOLS) {
    it(`takes what the contract does: ${name}`, () => {
      const { of, own = [] } = OPERATIONS[name]!
      const parameters = of.flatMap((id) => operation(id).parameters.map(resolved))
      for (const [argument, schema] of Object.entries(properties)) {
        if (own.includes(argument)) continue
        const found = parameters.filter((parameter) => parameter.name === argument)
        assert.isNotEmpty(found, argument)
        const schemas = found.map((parameter) => withoutWords(resolved(parameter.schema)))
        const isList = schemas[0].type === 'array'
        assert.deepEqual(withLists({ [argument]: 'a,b' }), { [argument]: isList ? ['a', 'b'] : 'a,b' })
        if (isList) assert.strictEqual(schema.type, 'string', argument)
        else assert.deepInclude(schemas, withoutWords(schema), argument)
      }
      const needed = operation(of[0]!)
        .parameters.map(resolved)
        .filter((each: any) => each.required)
      if (own.length === 0 || name === 'insider_company') {
        assert.sameMembers(
          [...required],
          needed.filter((each: any) => each.name in properties).map((each: any) => each.name),
        )
      }
    })
  }

  it('has a next step for every error that its tools can meet', () => {
    const never = [
      'cursor_expired',
      'unknown_dataset',
      'unknown_delivery',
      'unknown_alert',
      'alerts_full',
      'not_found',
      'method_not_allowed',
      'no_webhook_address',
      'body_too_large',
      'unsupported_media_type',
      'precondition_failed',
      'range_not_satisfiable',
      'webhook_url_refused',
      'internal_error',
    ]
    const without = Object.keys(STATUS).filter((code) => failureText({ code, message: 'm' }) === null)
    assert.sameMembers(without, never)
    assert.strictEqual(
      failureText({ code: 'unknown_ticker', message: 'No company has this\nticker' }),
      String.raw`unknown_ticker: No company has this\nticker. Next: insider_search finds symbols by names.`,
    )
    assert.notInclude(failureText({ code: 'unavailable', message: 'connect ECONNREFUSED db.internal' })!, 'internal')
    const said = { code: 'unavailable', message: 'The data is being loaded', isForCallers: true }
    assert.include(failureText(said)!, 'unavailable: The data is being loaded. Next: ')
    assert.isNull(failureText(new Error('select secret')))
  })

  it('names the parameter at fault once, whoever names it', () => {
    const details = [
      { path: 'query.tickers', message: 'No company has the symbol NOPE' },
      { path: 'query.limit', message: 'must be a whole number' },
    ]
    const text = failureText({ code: 'invalid_parameter', message: 'See details', details })!
    assert.include(text, 'See details; No company has the symbol NOPE; limit must be a whole number. Next: ')
  })
})
