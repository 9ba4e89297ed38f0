// Files of closing prices: what kind one is, and the copy that the process reads which has ClickHouse.
import { open, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { PriceFile } from '../application/ports/prices.ts'
import { copyAsNew, makeFolder } from './folders.ts'
import { requireSpace } from './free-space.ts'
import { writerMark } from './unfinished-files.ts'

const MOST_BYTES = 4 * 1024 ** 3
const HEADER_BYTES = 64 * 1024
/** Longer than a job waits. */
const LEFT_OVER_MS = 7 * 24 * 3_600_000
const COLUMNS = ['ticker', 'date', 'close'] as const

/** Copies a file of prices into a folder, and returns what its reader needs to know. Throws what is wrong with it. */
export async function keepPriceFile(path: string, folder: string): Promise<PriceFile> {
  const described = await describePriceFile(path)
  makeFolder(folder)
  await removeLeftOver(folder)
  await requireSpace(folder, (await stat(path)).size)
  const kept = join(folder, `${writerMark()}.${described.format}`)
  await copyAsNew(path, kept)
  return { ...described, path: kept }
}

/** Returns the format of a file and where its columns are. Throws what is wrong with it. */
export async function describePriceFile(path: string): Promise<PriceFile> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `no such file: ${path}` : `can't read ${path}: ${error.message}`)
  })
  if (!found.isFile()) throw new Error(`${path} is no file: prices come in one CSV or Parquet file at a time`)
  if (found.size > MOST_BYTES) throw new Error(`${path} has more than 4 GiB: load it in parts, such as a file per year`)
  const start = await beginningOf(path)
  if (start.subarray(0, 4).toString('latin1') === 'PAR1') return { path, format: 'parquet' }
  if (start[0] === 0x1f && start[1] === 0x8b) throw new Error(`${path} is compressed: unpack it first`)
  if (start.includes(0)) throw new Error(`${path} is neither text nor Parquet`)
  const [header = ''] = start
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/, 1)
  const names = header.split(',').map((name) =>
    name
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim()
      .toLowerCase(),
  )
  const missing = COLUMNS.filter((column) => !names.includes(column))
  if (missing.length > 0)
    throw new Error(
      `line 1 of ${path} has no column ${missing.join(', ')}: it must name ticker, date and close, separated by commas`,
    )
  const repeated = COLUMNS.find((column) => names.indexOf(column) !== names.lastIndexOf(column))
  if (repeated) throw new Error(`line 1 of ${path} has the column ${repeated} twice`)
  const place = (column: (typeof COLUMNS)[number]) => names.indexOf(column)
  return { path, format: 'csv', columns: { ticker: place('ticker'), date: place('date'), close: place('close') } }
}

export const removePriceFile = ({ path }: PriceFile): Promise<void> => rm(path, { force: true })

async function beginningOf(path: string): Promise<Buffer> {
  const file = await open(path).catch((error: Error) => {
    throw new Error(`can't read ${path}: ${error.message}`)
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Removes what commands left that were interrupted with their job. */
async function removeLeftOver(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (/\.(csv|parquet)$/.test(basename(name)) && found && found.mtimeMs < Date.now() - LEFT_OVER_MS)
      await rm(path, { force: true })
  }
}
