// Compares answers: with a recording of hashes, which says what differs, and with other answers that can be read, which
// says how, by operation, question, row and path in the row.
import { createHash } from 'node:crypto'
import { rowsOf, type Answer, type Answers } from './answers.ts'

/** What is asked of one or many, in few characters: `12 asked, 340 rows, <hash>`, then marks of each of them. */
export type Recorded = Record<string, string>

/** Hexadecimal digits by which each answer of many, or each row of one, is told apart. */
const MARK = 3
/** Answers, or rows of one, that are marked. */
const MAX_MARKED = 2_500
/** Differences that are told of each operation, and rows of each question. */
const [MAX_QUESTIONS, MAX_ROWS, MAX_PATHS] = [4, 3, 4]
/** Of a recording: questions of each operation, and answers or rows of each question. */
const [MAX_GROUPS, MAX_NAMED] = [6, 4]

const digest = (texts: Iterable<string>): string => {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${text}\n`)
  return hash.digest('hex')
}

const groupOf = ({ operation, about }: Answer): string => `${operation} ${about}`.trim()

/** Returns what a recording keeps of the answers: no name of anyone, whatever they are about. */
export function recordedOf({ all }: Answers): Recorded {
  const groups = [...Map.groupBy(all, groupOf)]
  return Object.fromEntries(groups.map(([group, answers]) => [group, summaryOf(answers)]))
}

function summaryOf(answers: Answer[]): string {
  const whole = digest(answers.flatMap(({ of, rows }) => [of, ...rows]))
  const rows = answers.reduce((sum, each) => sum + each.rows.length, 0)
  return [`${answers.length} asked, ${rows} rows, ${whole.slice(0, 16)}`, marksOf(answers)].join(' ').trim()
}

/** Marks of the answers in their order, or of the rows of the only one where it is to be marked. */
function marksOf(answers: Answer[]): string {
  const [{ rows, isMarked }] = answers as [Answer]
  const marked =
    answers.length > 1 ? answers.map(({ of, rows }) => [of, ...rows]) : isMarked ? rows.map((row) => [row]) : []
  return marked.length > MAX_MARKED ? '' : marked.map((each) => digest(each).slice(0, MARK)).join('')
}

/** Returns what is unlike the recording, by operation and question; '' where all is as recorded. */
export function unlikeRecorded(answers: Answers, recorded: Recorded): string {
  const groups = Map.groupBy(answers.all, groupOf)
  const unlike = [...new Set([...groups.keys(), ...Object.keys(recorded)])].flatMap((name) => {
    const [own, was] = [groups.get(name), recorded[name]]
    if (!own) return [{ name, how: 'was asked, and is not' }]
    if (was === undefined) return [{ name, how: 'was not asked' }]
    const is = summaryOf(own)
    return is === was ? [] : [{ name, how: whereUnlike(own, is, was, answers) }]
  })
  return [...Map.groupBy(unlike, ({ name }) => name.split(' ')[0])]
    .flatMap(([operation, all]) => [
      `${operation}: ${all.length} questions with other answers than recorded`,
      ...all.slice(0, MAX_GROUPS).map(({ name, how }) => `  ${name}: ${how}`),
      ...(all.length > MAX_GROUPS ? [`  … and ${all.length - MAX_GROUPS} more`] : []),
    ])
    .join('\n')
}

function whereUnlike(own: Answer[], is: string, was: string, answers: Answers): string {
  const [, countsNow, marksNow = ''] = PARTS.exec(is)!
  const [, countsBefore, marksBefore = ''] = PARTS.exec(was)!
  if (countsNow !== countsBefore) return `${countsBefore} before, ${countsNow} now`
  const places = Array.from({ length: marksNow.length / MARK }, (_, place) => place).filter(
    (place) => marksNow.slice(place * MARK, (place + 1) * MARK) !== marksBefore.slice(place * MARK, (place + 1) * MARK),
  )
  if (places.length === 0 || marksNow.length !== marksBefore.length) return `other ones, ${countsNow}`
  const some = places.slice(0, MAX_NAMED)
  const texts = rowsOf(answers, new Set(some.flatMap((place) => own[0]!.rows[place] ?? [])))
  const named = some.map((place) =>
    own.length > 1 ? own[place]!.path : `row ${place + 1} (${keyOf(texts.get(own[0]!.rows[place]!)!)})`,
  )
  return `${places.length} of ${marksNow.length / MARK} differ, such as ${named.join(', ')}`
}

const PARTS = /^(\d+ asked, \d+ rows), \w+ ?(\w*)$/

/** Returns how answers differ from those of before, the first of each operation; '' where they are equal. */
export function differences(
  before: Answers,
  now: Answers,
  isCompared: (answer: Answer) => boolean = () => true,
): string {
  const [one, other] = [before, now].map(({ all }) => new Map(all.filter(isCompared).map((each) => [each.path, each])))
  const paths = [...new Set([...one!.keys(), ...other!.keys()])]
  const byOperation = Map.groupBy(paths, (path) => (one!.get(path) ?? other!.get(path))!.operation)
  const unlike = [...byOperation].flatMap(([operation, asked]) => {
    const all = asked.filter((path) => String(one!.get(path)?.rows) !== String(other!.get(path)?.rows))
    return all.length > 0 ? [{ operation, asked: asked.length, all }] : []
  })
  const shown = unlike.flatMap(({ all }) => all.slice(0, MAX_QUESTIONS))
  const wanted = new Set(shown.flatMap((path) => [...(one!.get(path)?.rows ?? []), ...(other!.get(path)?.rows ?? [])]))
  const texts = new Map([...rowsOf(before, wanted), ...rowsOf(now, wanted)])
  return unlike
    .flatMap(({ operation, asked, all }) => [
      `${operation}: ${all.length} of ${asked} answers differ`,
      ...all.slice(0, MAX_QUESTIONS).flatMap((path) => {
        const lines = rowDifferences(one!.get(path)?.rows, other!.get(path)?.rows, texts)
        return [`  ${path}`, ...lines.map((line) => `    ${line}`)]
      }),
    ])
    .join('\n')
}

function rowDifferences(before: string[] | undefined, now: string[] | undefined, texts: Map<string, string>): string[] {
  if (!before) return ['was not asked before']
  if (!now) return ['was asked before only']
  const [was, is] = [new Set(before), new Set(now)]
  const gone = before.filter((row) => !is.has(row)).map((row) => texts.get(row)!)
  const added = now.filter((row) => !was.has(row)).map((row) => texts.get(row)!)
  if (gone.length + added.length === 0) return [`the same ${now.length} rows in another order, or other times`]
  const addedByKey = new Map(added.map((row) => [keyOf(row), row]))
  const pairs = gone.flatMap((row) => (addedByKey.has(keyOf(row)) ? [[row, addedByKey.get(keyOf(row))!] as const] : []))
  const paired = new Set(pairs.flat())
  const alone = [
    ...gone.filter((row) => !paired.has(row)).map((row) => `- ${short(row)}`),
    ...added.filter((row) => !paired.has(row)).map((row) => `+ ${short(row)}`),
  ]
  return [
    `${gone.length} rows of ${before.length} are gone or changed, ${added.length} of ${now.length} are new or changed`,
    ...pairs.slice(0, MAX_ROWS).flatMap(([row, later]) => pathsOf(row, later)),
    ...alone.slice(0, MAX_ROWS),
  ]
}

const KEYS = ['id', 'accessionNumber', 'cik', 'issuerCik', 'kind', 'symbol', 'place']

/** By which a row is found again; the only answer to a question has none. Of CSV the first cell, of Atom the id. */
function keyOf(row: string): string {
  const value = parsed(row)
  if (typeof value !== 'object' || value === null) return short(/<id>([^<]*)/.exec(row)?.[1] ?? row.split(',', 1)[0])
  return short(KEYS.flatMap((key) => (key in value ? [String((value as Record<string, unknown>)[key])] : [])).join(' '))
}

function pathsOf(before: string, now: string): string[] {
  const found: string[] = []
  walk(parsed(before), parsed(now), '', found)
  const more = found.length > MAX_PATHS ? [`… and ${found.length - MAX_PATHS} more`] : []
  return [`${keyOf(before) || 'the answer'}:`, ...[...found.slice(0, MAX_PATHS), ...more].map((line) => `  ${line}`)]
}

function walk(before: unknown, now: unknown, path: string, found: string[]): void {
  if (JSON.stringify(before) === JSON.stringify(now)) return
  const isBoth = [before, now].every((value) => typeof value === 'object' && value !== null)
  if (!isBoth)
    return void found.push(`${path || 'it'}: ${short(JSON.stringify(before))} → ${short(JSON.stringify(now))}`)
  const [one, other] = [before as Record<string, unknown>, now as Record<string, unknown>]
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)]))
    walk(one[name], other[name], Array.isArray(before) ? `${path}[${name}]` : `${path}.${name}`, found)
}

function parsed(row: string): unknown {
  try {
    return JSON.parse(row)
  } catch {
    return row
  }
}

const MAX_SHOWN = 300
/** Escaped, since filers write what they like. */
const short = (text = 'nothing'): string => {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  return shown.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}
