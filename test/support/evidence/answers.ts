// Asks a loaded service everything, and keeps the answers row by row: a hash of each row in memory, the rows themselves in
// a file, each different one once.
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from '../edgar/invented/seeded.ts'
import { manifestOf } from '../service/month-files.ts'
import { readParquet } from '../service/tools/parquet.ts'
import type { LoadedService } from './loading.ts'
import type { Material } from './material.ts'
import { firstQuestions, questionsOf, type Extent, type Question, type Subjects } from './questions.ts'

export interface Answer {
  operation: string
  about: string
  of: string
  path: string
  isMarked?: true
  /** A hash of each row, in the order of the answer. */
  rows: string[]
}

/** The answers to all questions, in a folder where they can be read. */
export interface Answers {
  folder: string
  all: Answer[]
}

const ANSWERS = 'answers.jsonl'
const ROWS = 'rows.txt'
/** Asked at once: as many exports as one key may have. */
const ASKED = 2
/** Characters of rows that are written together, and bytes that are read. */
const [WRITTEN, PIECE] = [1 << 20, 1 << 24]

/**
 * Asks everything, or every so many-th question of those that follow the lists of all there is, and writes what is
 * answered into the folder.
 */
export async function answersOf(
  loaded: LoadedService,
  material: Material,
  folder: string,
  { extent, every }: { extent: Extent; every: number },
): Promise<Answers> {
  const asker = new Asker(loaded, folder)
  const first = await asker.askAll(firstQuestions(material))
  const files = (await manifestOf(loaded.service)).datasets.flatMap(({ name, files: made }) =>
    made.map(({ period }) => `${name}/${period}.parquet`),
  )
  const questions = questionsOf({ ...subjectsOf(first), files }, material, extent)
  await asker.askAll(questions.filter(({ path, isMarked }) => isMarked || hashOf(path) % every === 0))
  for (const { quarter, result } of loaded.counted) asker.keep(described('backfill', 'lines', quarter), [result])
  asker.keep(described('listChanges', 'all, by content', ''), await asker.changes())
  return asker.end()
}

/** Reads the answers of a run before. */
export function readAnswers(folder: string): Answers {
  return { folder, all: [...lines(folder, ANSWERS)].map((line) => JSON.parse(line) as Answer) }
}

/** Returns the rows with these hashes. */
export function rowsOf({ folder }: Answers, hashes: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>()
  for (const line of lines(folder, ROWS)) {
    const hash = line.slice(0, HASH_LENGTH)
    if (hashes.has(hash)) found.set(hash, line.slice(HASH_LENGTH + 1))
  }
  return found
}

/** Reads a piece at a time, since all together may be too long for one text. */
function* lines(folder: string, name: string): Generator<string> {
  const file = openSync(join(folder, name), 'r')
  try {
    const piece = Buffer.alloc(PIECE)
    let rest = Buffer.alloc(0)
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      const bytes = Buffer.concat([rest, piece.subarray(0, read)])
      let start = 0
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
        yield bytes.toString('utf8', start, end)
        start = end + 1
      }
      rest = bytes.subarray(start)
    }
  } finally {
    closeSync(file)
  }
}

const HASH_LENGTH = 16
const hashOfText = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH)

const described = (operation: string, about: string, of: string): Omit<Answer, 'rows'> => ({
  operation,
  about,
  of,
  path: `${operation} ${about} ${of}`.trim(),
})

type Json = Record<string, any>

class Asker {
  readonly #loaded: LoadedService
  readonly #folder: string
  readonly #file: number
  readonly #known = new Set<string>()
  readonly #all: Answer[] = []
  #unwritten = ''

  constructor(loaded: LoadedService, folder: string) {
    this.#loaded = loaded
    this.#folder = folder
    mkdirSync(folder, { recursive: true })
    this.#file = openSync(join(folder, ROWS), 'w')
  }

  /** Returns the rows of all answers, by operation. */
  async askAll(questions: Question[]): Promise<Map<string, string[]>> {
    const answered = new Map<string, string[]>()
    for (let from = 0; from < questions.length;) {
      const some = together(questions.slice(from, from + ASKED))
      from += some.length
      const answers = await Promise.all(some.map((question) => this.#ask(question)))
      for (const [place, question] of some.entries()) {
        this.keep(question, answers[place]!)
        answered.set(question.operation, [...(answered.get(question.operation) ?? []), ...answers[place]!])
      }
    }
    return answered
  }

  keep({ operation, about, of, path, isMarked }: Omit<Answer, 'rows'>, rows: string[]): void {
    const hashes = rows.map((row) => {
      const hash = hashOfText(row)
      if (!this.#known.has(hash)) this.#unwritten += `${hash} ${row.replaceAll('\n', '\\n')}\n`
      this.#known.add(hash)
      return hash
    })
    this.#all.push({ operation, about, of, path, ...(isMarked && { isMarked }), rows: hashes })
    if (this.#unwritten.length > WRITTEN) this.#write()
  }

  #write(): void {
    writeSync(this.#file, this.#unwritten)
    this.#unwritten = ''
  }

  end(): Answers {
    this.#write()
    closeSync(this.#file)
    writeFileSync(join(this.#folder, ANSWERS), this.#all.map((answer) => `${JSON.stringify(answer)}\n`).join(''))
    return { folder: this.#folder, all: this.#all }
  }

  /** Returns the entries of the log without their place and time, in the order of their texts. */
  async changes(): Promise<string[]> {
    const entries: string[] = []
    for (let after = 'earliest'; ;) {
      const { data } = (await this.#json(`/v1/changes?limit=1000&after=${after}`)).body
      // Places, which some ids end with, and times are those of the run.
      for (const { cursor: _, at: __, id, ...entry } of data.changes)
        entries.push(JSON.stringify({ id: String(id).replace(/\/\d+$/, ''), ...entry }))
      if (!data.hasMore) return entries.sort()
      after = data.nextCursor
    }
  }

  #ask(question: Question): Promise<string[]> {
    const ask = () => this.#rowsOf(question)
    return question.now === undefined ? ask() : this.#loaded.at(question.now, ask)
  }

  async #rowsOf({ path, rows, as, pages = Infinity }: Question): Promise<string[]> {
    if (rows !== undefined) return this.#pages(path, rows, pages)
    if (as === undefined) {
      const { status, body } = await this.#json(path)
      return [status === 200 ? JSON.stringify(settled(body.data)) : `${status} ${body.error.code}`]
    }
    const { bytes, unknown } = await this.#bytes(path)
    if (as === 'lines') return [...bytes.toString().trimEnd().split('\n'), ...unknown]
    // An entry on each line, without the time at which the document was made.
    if (as === 'xml')
      return bytes
        .toString()
        .replaceAll('\n', ' ')
        .split(/(?=<entry>)/)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return [sha256, ...(await readParquet(bytes)).map((row) => JSON.stringify(row, shown))]
  }

  /** Reads the pages; cursors are opaque, so they are followed and not kept. */
  async #pages(path: string, rows: string, most: number): Promise<string[]> {
    const found: string[] = []
    for (let [cursor, read] = ['', 1]; ; read += 1) {
      const { status, body, unknown } = await this.#json(cursor === '' ? path : `${path}&cursor=${cursor}`)
      if (status !== 200) return [`${status} ${body.error.code}`]
      found.push(...body.data[rows].map((row: unknown) => JSON.stringify(row)))
      if (!body.data.hasMore || read === most) return [...found, ...unknown]
      cursor = body.data.nextCursor
    }
  }

  async #json(path: string): Promise<{ status: number; body: Json; unknown: string[] }> {
    const { status, bytes, unknown } = await this.#bytes(path)
    return { status, body: JSON.parse(bytes.toString()) as Json, unknown }
  }

  async #bytes(path: string): Promise<{ status: number; bytes: Buffer; unknown: string[] }> {
    const response = await fetch(`${this.#loaded.url}${path}`, { headers: { authorization: 'Bearer evidence' } })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (![200, 404].includes(response.status)) throw new Error(`${path}: ${response.status} ${bytes.toString()}`)
    const unknown = response.headers.get('x-unknown-tickers')
    return { status: response.status, bytes, unknown: unknown === null ? [] : [`unknown: ${unknown}`] }
  }
}

/** Returns the first questions that may be asked at once: the service has one clock. */
function together(questions: Question[]): Question[] {
  const moved = questions.findIndex(({ now }) => now !== undefined)
  return moved < 0 ? questions : questions.slice(0, Math.max(1, moved))
}

/** Leaves out the position of the log of changes, which counts the steps of loading. */
function settled(data: Json): Json {
  const { position: _, ...rest } = data
  return rest
}

const shown = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

function subjectsOf(answered: Map<string, string[]>): Omit<Subjects, 'files'> {
  const parsed = (operation: string): Json[] =>
    answered.get(operation)!.flatMap((row) => (row.startsWith('{') ? [JSON.parse(row) as Json] : []))
  const distinct = (names: string[]) => [...new Set(names)].filter(Boolean).sort()
  const filings = parsed('listFilings')
  return {
    tickers: distinct(filings.map(({ ticker }) => ticker)),
    issuers: distinct(filings.map(({ issuerCik }) => issuerCik)),
    insiders: distinct(filings.flatMap(({ owners }) => owners.map(({ cik }: Json) => cik))),
    filings: distinct(filings.map(({ accessionNumber }) => accessionNumber)),
    signals: distinct(parsed('listSignals').map(({ id }) => id)),
    notices: distinct(parsed('listNotices').map(({ accessionNumber }) => accessionNumber)),
  }
}
