// Files of prices: what kind one is, where its columns are, and what is said of one that can't be read.
import { readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { describePriceFile, keepPriceFile, removePriceFile } from '../../../src/infrastructure/price-file.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('files of prices', () => {
  const at = temporaryFolder()

  const fileOf = (content: string | Buffer, name = 'prices.csv') => {
    const path = at(name)
    writeFileSync(path, content)
    return path
  }
  const said = (path: string) =>
    describePriceFile(path).then(
      ({ path: _, ...described }) => described,
      (error: Error) => error.message.replace(`${at()}/`, ''),
    )

  const headers: [header: string | Buffer, said: unknown][] = [
    ['ticker,date,close\nEXWI,2026-01-02,1\n', { format: 'csv', columns: { ticker: 0, date: 1, close: 2 } }],
    ['\uFEFF"Close", Volume ,"Date",TICKER\r\n', { format: 'csv', columns: { ticker: 3, date: 2, close: 0 } }],
    ['ticker,date,close', { format: 'csv', columns: { ticker: 0, date: 1, close: 2 } }],
    ['PAR1\0\0', { format: 'parquet' }],
    [
      '',
      'line 1 of prices.csv has no column ticker, date, close: it must name ticker, date and close, separated by commas',
    ],
    [
      'ticker;date;close\n',
      'line 1 of prices.csv has no column ticker, date, close: it must name ticker, date and close, separated by commas',
    ],
    [
      'symbol,date,close\n',
      'line 1 of prices.csv has no column ticker: it must name ticker, date and close, separated by commas',
    ],
    ['ticker,date,close,Close\n', 'line 1 of prices.csv has the column close twice'],
    [Buffer.from([0x1f, 0x8b, 8, 0]), 'prices.csv is compressed: unpack it first'],
    [Buffer.from('ticker,date,close', 'utf16le'), 'prices.csv is neither text nor Parquet'],
  ]
  for (const [header, what] of headers)
    it(`say of ${JSON.stringify(header.toString('latin1'))} what it is`, async () =>
      assert.deepEqual(await said(fileOf(header)), what))

  it('are refused where they are missing, no files or too large', async () => {
    assert.strictEqual(await said(at('none.csv')), 'no such file: none.csv')
    assert.strictEqual(await said(at()), `${at()} is no file: prices come in one CSV or Parquet file at a time`)
    const large = fileOf('ticker,date,close\n', 'large.csv')
    truncateSync(large, 4 * 1024 ** 3 + 1)
    assert.strictEqual(await said(large), 'large.csv has more than 4 GiB: load it in parts, such as a file per year')
    rmSync(large)
  })

  it('are kept in a folder until they are removed, or for a week', async () => {
    const kept = at('kept')
    const first = await keepPriceFile(fileOf('ticker,date,close\n'), kept)
    const second = await keepPriceFile(fileOf('ticker,date,close\n'), kept)
    assert.lengthOf(readdirSync(kept), 2)
    await removePriceFile(second)
    assert.lengthOf(readdirSync(kept), 1)
    writeFileSync(join(kept, 'other.txt'), '')
    const old = Date.now() / 1000 - 8 * 86_400
    for (const path of [first.path, join(kept, 'other.txt')]) utimesSync(path, old, old)
    await removePriceFile(await keepPriceFile(fileOf('ticker,date,close\n'), kept))
    assert.deepEqual(readdirSync(kept), ['other.txt'])
  })
})
