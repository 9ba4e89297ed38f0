// The table of operations against the document: every documented operation is answered, and every answered one is
// documented.
import { assert } from 'chai'
import { loadDocument } from '../../../../src/infrastructure/http/openapi/document.ts'
import { dashboard } from '../../../../src/infrastructure/http/controllers/dashboard.ts'
import { reference } from '../../../../src/infrastructure/http/controllers/reference.ts'
import { WebFiles } from '../../../../src/infrastructure/http/web-files.ts'
import { httpMetrics } from '../../../../src/infrastructure/http/middleware/metrics.ts'
import { addToWatchlist, listWatchlist } from '../../../../src/infrastructure/http/controllers/watchlist.ts'
import { keyedCommand, keyedQuery, operationTable } from '../../../../src/infrastructure/http/operations.ts'
import { contract } from '../../../support/http/contract-client.ts'
import { exampleDependencies } from '../../../support/http/example-service.ts'

const table = operationTable({
  ...exampleDependencies,
  versions: { version: '1.0.0', revision: null, contract: '1.0.0' },
  publicUrl: null,
  stopping: () => false,
  metrics: httpMetrics(),
  reference: reference(loadDocument(), new WebFiles()),
  dashboard: dashboard(new WebFiles(), true),
})

const documented = Object.values<any>(contract.paths).flatMap((item) =>
  Object.entries<any>(item).map(([method, operation]) => {
    const id: keyof typeof table = operation.operationId
    return { method, operation, id }
  }),
)

describe('the table of operations', () => {
  it('has exactly the operations of the document', () => {
    assert.deepEqual(Object.keys(table).sort(), documented.map(({ id }) => id).sort())
  })

  it('requires a key exactly where the document does, and forbids caching of these answers', () => {
    for (const { id, operation } of documented) {
      const isKeyed = operation.security.length > 0
      assert.strictEqual(table[id].access, isKeyed ? 'key' : 'public', id)
      assert.strictEqual(table[id].caching === 'private', isKeyed, id)
      assert.strictEqual('401' in operation.responses, isKeyed, id)
    }
  })

  it('has queries for GET and commands for other methods', () => {
    for (const { id, method } of documented)
      assert.strictEqual(table[id].kind, method === 'get' ? 'query' : 'command', id)
  })

  it('gives a query no command and a command no query, or it does not compile', () => {
    // @ts-expect-error a query has no watchlist to change
    assert.isFunction(keyedQuery(({ watchlist }) => addToWatchlist(watchlist)))
    // @ts-expect-error what answers queries is no command
    assert.isFunction(keyedQuery(({ keyQueries }) => addToWatchlist(keyQueries)))
    // @ts-expect-error a command has nothing to query
    assert.isFunction(keyedCommand(({ keyQueries }) => listWatchlist(keyQueries)))
  })
})
