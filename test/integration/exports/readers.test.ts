// Month files as others read them over HTTP: the engine by ranges; pandas, polars and DuckDB by the guide's program.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { startExampleService, type ExampleService } from '../../support/http/example-service.ts'
import { readParquet } from '../../support/service/tools/parquet.ts'
import { pythons } from '../../support/service/tools/pythons.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const ROOT = join(import.meta.dirname, '../../..')
const FIXTURES = join(ROOT, 'test/fixtures/filings')
const execute = promisify(execFile)

describe('readers of month files over HTTP', function () {
  this.timeout(180_000)
  let service: TestService
  let http: ExampleService
  let rows: Record<string, any>[]
  before(async () => {
    service = await testService(() => Date.parse('2027-03-01T03:30:00Z'))
    const names = readdirSync(FIXTURES).filter((name) => /\.(txt|xml|nc)$/.test(name))
    await service.take(...names.map((path) => ({ path, text: readFileSync(join(FIXTURES, path), 'utf8') })))
    await service.detectSignals()
    await service.container.get(TYPES.makeExports)(() => {})
    http = await startExampleService({ exportQueries: service.container.get(TYPES.exportQueries) })
    const { files } = await dataset('transactions')
    const read = files.map(async ({ url }: { url: string }) => {
      const reply = await fetch(http.url + url)
      return readParquet(Buffer.from(await reply.arrayBuffer()))
    })
    rows = (await Promise.all<Record<string, any>[]>(read)).flat()
  })
  after(async () => {
    await http.close()
    await service.close()
  })

  async function dataset(name: string): Promise<any> {
    const reply = await fetch(`${http.url}/v1/exports/${name}`)
    return ((await reply.json()) as any).data
  }

  it("the engine's url() reads parts of a file, and has all rows", async () => {
    const before = http.log.length
    const ids: string[] = []
    for (const { url } of (await dataset('transactions')).files) {
      const read = sql`SELECT id FROM url(${http.url + url}, 'Parquet')`
      for (const [id] of await service.store.arrays<[string]>(read)) ids.push(id)
    }
    assert.sameMembers(
      ids,
      rows.map(({ id }) => id),
    )
    const asked = http.log.slice(before).filter(({ operationId }) => operationId === 'getExportFile')
    assert.includeMembers(
      [200, 206],
      asked.map(({ status }) => status),
    )
    assert.isNotEmpty(asked)
  })

  /** The guide's program, by paragraphs: what all have in common, then one for each tool. */
  function guide(): { common: string; parts: Map<string, string> } {
    const text = readFileSync(join(ROOT, 'openapi/guides/python.md'), 'utf8')
    const [, program] = /## Month files[\s\S]*?```python\n([\s\S]*?)```/.exec(text)!
    const [common, ...paragraphs] = program!.trim().split('\n\n')
    const parts = new Map(paragraphs.map((part) => [/^import (\w+)/m.exec(part)![1]!, part]))
    return { common: common!.replaceAll('http://localhost:8080', http.url), parts }
  }

  const CHECKS: Record<string, string> = {
    pandas: 'print(json.dumps([len(frame), sorted(frame["id"])[0]]))',
    polars: 'print(json.dumps([frame.height, sorted(frame["id"])[0]]))',
    duckdb: 'print(json.dumps([duckdb.sql(f"SELECT count(*) FROM read_parquet({files})").fetchone()[0], ""]))',
  }

  for (const [tool, check] of Object.entries(CHECKS)) {
    it(`${tool} reads them with the lines of the guide`, async function () {
      const { common, parts } = guide()
      assert.sameMembers([...parts.keys()], Object.keys(CHECKS))
      // DuckDB reads from HTTP by an extension of its own, which it fetches from its makers.
      const needs = tool === 'duckdb' ? `import duckdb; duckdb.sql("INSTALL httpfs; LOAD httpfs")` : `import ${tool}`
      const able = []
      for (const { path } of pythons()) if (await isAble(path, needs)) able.push(path)
      if (able.length === 0) {
        process.stdout.write(`      skipped: no Python here can run ${needs}\n`)
        this.skip()
      }
      const program = [common, parts.get(tool)!, check].join('\n')
      const expected = tool === 'polars' ? rows.filter(({ transactionType }) => transactionType === 'buy') : rows
      for (const path of able) {
        const { stdout } = await execute(path, ['-c', program])
        const [count, first] = JSON.parse(stdout.trim().split('\n').at(-1)!)
        assert.strictEqual(count, expected.length)
        if (first !== '') assert.strictEqual(first, expected.map(({ id }) => id).sort()[0])
      }
    })
  }

  it('pandas finds purchases and signals as they became known, with the lines of the guide', async function () {
    const able = []
    for (const { path } of pythons()) if (await isAble(path, 'import pandas, pyarrow')) able.push(path)
    if (able.length === 0) {
      process.stdout.write('      skipped: no Python here can run import pandas, pyarrow\n')
      this.skip()
    }
    const text = readFileSync(join(ROOT, 'openapi/guides/python.md'), 'utf8').split('## Point in time')[1]!
    const [buys, ceo] = [...text.matchAll(/```python\n([\s\S]*?)```/g)].map(([, program]) => program!)
    const { common, parts } = guide()
    const of = (name: string) => [common.replace('/transactions"', `/${name}"`), parts.get('pandas')!]
    const program = [
      ...[...of('transaction-versions'), buys!, 'print(json.dumps([buys["id"].tolist(), buys["totalValue"].sum()]))'],
      ...[...of('signals'), ceo!, 'print(json.dumps(sorted(ceo["id"])))'],
    ].join('\n')
    for (const path of able) {
      const { stdout } = await execute(path, ['-c', program])
      assert.deepEqual(
        stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
        [
          [['0001999001-26-000001-nd-2', '0001999001-26-000001-nd-1'], 1_141_009.2],
          ['ceo_trade-1999001-1999101-2026-10-30-buy', 'ceo_trade-1999001-1999101-2026-11-02-buy'],
        ],
      )
    }
  })

  it('duckdb reads a file that was fetched, with its types', async function () {
    const able = []
    for (const { path } of pythons()) if (await isAble(path, 'import duckdb')) able.push(path)
    if (able.length === 0) {
      process.stdout.write('      skipped: no Python here has duckdb\n')
      this.skip()
    }
    const { common } = guide()
    const program = [
      common,
      'import duckdb, tempfile, os',
      'paths = []',
      'folder = tempfile.TemporaryDirectory()',
      'for file in files:',
      '    paths.append(os.path.join(folder.name, f"{len(paths)}.parquet"))',
      '    urllib.request.urlretrieve(file, paths[-1])',
      'names = ["filingDate", "totalValue", "signals", "significance"]',
      'types = ", ".join(f"typeof(any_value({name}))" for name in names)',
      'found = duckdb.sql(f"SELECT count(*), {types} FROM read_parquet({paths})")',
      'print(json.dumps(found.fetchone()))',
    ].join('\n')
    for (const path of able) {
      const { stdout } = await execute(path, ['-c', program])
      const types = ['TIMESTAMP WITH TIME ZONE', 'DECIMAL(38,2)', 'VARCHAR[]', 'VARCHAR']
      assert.deepEqual(JSON.parse(stdout), [rows.length, ...types])
    }
  })
})

const isAble = (python: string, needs: string): Promise<boolean> =>
  execute(python, ['-c', needs], { timeout: 30_000 }).then(
    () => true,
    () => false,
  )
