// Unpacks the zip of a quarter of the SEC's insider transactions data sets into files that ClickHouse can read. The zip
// can come from anywhere, so it is not trusted: no name in it becomes a path, and limits apply to what is unpacked. Only
// one chunk is in memory at a time.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rm, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import type { DataSetFile, DataSetFiles } from '../../../application/ports/data-sets.ts'
import { requireSpace } from '../../free-space.ts'
import { describe } from '../response-content.ts'

const REQUIRED = ['SUBMISSION', 'REPORTINGOWNER', 'NONDERIV_TRANS'] as const
const OPTIONAL = ['NONDERIV_HOLDING', 'DERIV_TRANS', 'DERIV_HOLDING', 'FOOTNOTES', 'OWNER_SIGNATURE'] as const
export const DATA_SET_TABLES = [...REQUIRED, ...OPTIONAL] as const
type DataSetTable = (typeof DATA_SET_TABLES)[number]

export interface DataSetLimits {
  /** Of any kind, in the zip. */
  entries: number
  /** Unpacked, of all entries together. */
  bytes: number
  /** Unpacked to packed size, of each entry larger than `smallBytes`. Real tables compress 5:1 to 7:1. */
  ratio: number
  smallBytes: number
}

const LIMITS: DataSetLimits = { entries: 40, bytes: 8 * 1024 ** 3, ratio: 100, smallBytes: 10 * 1024 ** 2 }
/** Bytes of a header line, far more than real ones have. */
const MAX_HEADER_LENGTH = 65_536
/** Chunks are collected into writes of this size, which is faster. */
const WRITE_BYTES = 1024 ** 2
const NAME = new RegExp(`^(?:([^/]+)/)?(${DATA_SET_TABLES.join('|')})\\.tsv$`, 'i')
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13]

/**
 * Unpacks the tables of a zip into the folder `into`, as `SUBMISSION.tsv` and so on; other entries stay in the zip.
 * Throws one line with what is wrong and what to do; then no file is left in `into`.
 */
export async function unpackDataSet(
  zipPath: string,
  into: string,
  limits: Partial<DataSetLimits> = {},
): Promise<DataSetFiles> {
  const written: string[] = []
  let madeFolder: string | undefined
  try {
    const zip = await openZip(zipPath)
    try {
      const entries = await tablesOf(zip, { ...LIMITS, ...limits })
      await requireSpace(
        into,
        entries.values().reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0),
      )
      madeFolder = await mkdir(into, { recursive: true })
      const files: Partial<DataSetFiles> = {}
      for (const [table, entry] of entries) {
        const path = join(into, `${table}.tsv`)
        await rm(path, { force: true })
        written.push(path)
        files[table] = await unpack(zip, entry, path)
      }
      return files as DataSetFiles
    } finally {
      zip.close()
    }
  } catch (error) {
    for (const path of written) await rm(path, { force: true })
    // Only if this call created it and it is empty: others can use the same folder.
    if (madeFolder !== undefined) await rmdir(into).catch(() => {})
    throw refusal(zipPath, error as Error, 'download the quarter again from the SEC')
  }
}

/** Reads a folder with the tables already unpacked, in place. */
export async function readDataSetFolder(path: string): Promise<DataSetFiles> {
  try {
    const names = (await readdir(path)).filter((name) => tableOf(name) !== null)
    const tables = byTable(names, (name) => name)
    const files: Partial<DataSetFiles> = {}
    for (const [table, name] of tables) files[table] = await measured(join(path, name))
    return files as DataSetFiles
  } catch (error) {
    throw refusal(path, error as Error, 'unpack the zip of the quarter again')
  }
}

/** Returns the SHA-256 of a file in hex. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    // strictFileNames: names with backslashes are refused instead of read as folders. validateEntrySizes: a stream
    // fails as soon as it yields more than the directory says, so checking the directory is checking the output.
    return (
      (await openPromise(path, { strictFileNames: true, validateEntrySizes: true, autoClose: false }))
        // Closing a file that was only read can't fail in a way that matters.
        .on('error', () => {})
    )
  } catch (error) {
    if (!(error as Error).message.startsWith('End of central directory')) throw error
    const head = await startOf(path)
    throw new Error(head.startsWith('PK') ? 'cut short: a zip without its end' : `not a zip: ${describe(head)}`, {
      cause: error,
    })
  }
}

async function startOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Checks the whole directory before anything is written. */
async function tablesOf(zip: ZipFile, limits: DataSetLimits): Promise<Map<DataSetTable, Entry>> {
  if (zip.entryCount > limits.entries) {
    throw new Error(`${zip.entryCount} entries, where a data set has about 10 and ${limits.entries} are allowed`)
  }
  const entries: Entry[] = []
  const names = new Set<string>()
  let bytes = 0
  for await (const entry of zip.eachEntry()) {
    const fault = faultOf(entry, limits)
    if (fault !== null) throw new Error(`${entry.fileName} ${fault}`)
    const name = entry.fileName.toLowerCase()
    if (names.has(name)) throw new Error(`it has ${entry.fileName} twice`)
    names.add(name)
    bytes += entry.uncompressedSize
    if (bytes > limits.bytes) throw new Error(`it would expand to more than the allowed ${limits.bytes} bytes`)
    if (tableOf(entry.fileName) !== null) entries.push(entry)
  }
  const folders = new Set(entries.map(({ fileName }) => NAME.exec(fileName)![1]))
  if (folders.size > 1) throw new Error('tables in more than one folder')
  return byTable(entries, ({ fileName }) => fileName)
}

function faultOf(entry: Entry, limits: DataSetLimits): string | null {
  const { uncompressedSize: size, compressedSize: packed, compressionMethod: method } = entry
  if (entry.isEncrypted()) return 'is encrypted'
  if (method !== 0 && method !== 8) return `is packed by method ${method}, where a data set has deflate`
  // The file type is in the upper half if the zip was made on Unix; 0 if not.
  const kind = (entry.externalFileAttributes >>> 28) & 0xf
  if (kind === 0xa) return 'is a symbolic link'
  if (kind !== 0 && kind !== 0x8 && kind !== 0x4) return 'is no regular file'
  if (size <= limits.smallBytes || size <= packed * limits.ratio) return null
  return `would unpack ${packed} bytes to ${size}, more than ${limits.ratio} to 1`
}

function tableOf(name: string): DataSetTable | null {
  return (NAME.exec(name)?.[2]?.toUpperCase() as DataSetTable | undefined) ?? null
}

/** Throws if a table exists twice or a required one is missing. */
function byTable<T>(files: T[], nameOf: (file: T) => string): Map<DataSetTable, T> {
  const tables = new Map<DataSetTable, T>()
  for (const file of files) {
    const table = tableOf(nameOf(file))!
    if (tables.has(table)) throw new Error(`it has ${table}.tsv twice`)
    tables.set(table, file)
  }
  const missing = REQUIRED.filter((table) => !tables.has(table)).map((table) => `${table}.tsv`)
  if (missing.length > 0) throw new Error(`no ${missing.join(', no ')} in it`)
  return tables
}

async function unpack(zip: ZipFile, entry: Entry, path: string): Promise<DataSetFile> {
  const counter = lineCounter()
  let sum = 0
  try {
    await pipeline(
      await zip.openReadStreamPromise(entry),
      async function* (source: AsyncIterable<Buffer>) {
        for await (const chunk of source) {
          sum = crc32(chunk, sum)
          counter.add(chunk)
          yield chunk
        }
      },
      createWriteStream(path, { flags: 'wx', highWaterMark: WRITE_BYTES }),
    )
    if (sum !== entry.crc32) throw new Error('its checksum (CRC) is wrong')
    return { path, ...counter.end() }
  } catch (error) {
    throw isOfSystem(error) ? error : new Error(`${entry.fileName} is damaged: ${(error as Error).message}`)
  }
}

async function measured(path: string): Promise<DataSetFile> {
  const counter = lineCounter()
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) counter.add(chunk)
  try {
    return { path, ...counter.end() }
  } catch (error) {
    throw new Error(`${basename(path)} is damaged: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Counts lines in chunks of any size, without the header and empty ones. `end` throws if there is no header, and
 * returns its columns without the byte order mark.
 */
function lineCounter(): { add: (chunk: Buffer) => void; end: () => Omit<DataSetFile, 'path'> } {
  let head = Buffer.alloc(0)
  let lines = 0
  let filled = false
  return {
    add(chunk) {
      if (lines === 0 && head.length < MAX_HEADER_LENGTH)
        head = Buffer.concat([head, chunk.subarray(0, MAX_HEADER_LENGTH)])
      let from = 0
      // Much faster than checking each byte.
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        if (filled || !isBlank(chunk, from, at)) lines += 1
        filled = false
        from = at + 1
      }
      if (!isBlank(chunk, from, chunk.length)) filled = true
    },
    end() {
      const end = head.indexOf(LINE_FEED)
      if (end < 0 && head.length >= MAX_HEADER_LENGTH) throw new Error('its first line is too long for a header')
      const header = head.toString('utf8', 0, end < 0 ? head.length : end).replace(/^\uFEFF/, '')
      const columns = header.replace(/\r$/, '').split('\t')
      if (columns.join('') === '') throw new Error('it has no header line')
      return { lines: (filled ? lines + 1 : lines) - 1, columns }
    },
  }
}

/** Returns whether a line is empty, or only the rest of a CR LF. */
function isBlank(chunk: Buffer, from: number, to: number): boolean {
  return to === from || (to === from + 1 && chunk[from] === CARRIAGE_RETURN)
}

/** Returns whether the file system failed: its errors name a system call. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

function refusal(path: string, error: Error, advice: string): Error {
  // Names in the zip can hold anything, but a message is one line of printable characters.
  const reason = error.message.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?').slice(0, 300)
  const remedy = isOfSystem(error) ? 'check paths, rights and free space' : advice
  return new Error(`${basename(path)}: ${reason}; ${remedy}`, { cause: error })
}
