// What documents made to cost time or memory do cost: each shape of test/support/filings/hostile-documents.ts read at 0.1, 1 and 20 MB.
// Per size the most processor time per MB, of reading and of what is derived from a filing, and the most memory beside the
// document itself as a multiple of its size, with the shapes that took them. Goals: 20 ms per MB, 3 times the size; the longest
// that the loop of the process stood still while a large document was read. ONLY=part of a name. One JSON line.
import { readFileSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { directoryEntry } from '../../../src/application/projection/directory-entry.ts'
import { tradeFacts } from '../../../src/domain/trades/extract-trades.ts'
import { OwnershipDocumentReader } from '../../../src/infrastructure/edgar/documents/document-reader.ts'
import { readDocument } from '../../../src/infrastructure/edgar/documents/read-document.ts'
import { HOSTILE_SHAPES } from '../../support/filings/hostile-documents.ts'
import { printBench } from '../support/measure.ts'

const MEGABYTE = 1_000_000
const SIZES = [0.1, 1, 20].map((megabytes) => megabytes * MEGABYTE)
const LARGEST = SIZES.at(-1)!
const shapes = HOSTILE_SHAPES.filter(({ name }) => name.includes(process.env.ONLY ?? ''))

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const status = (field: string) =>
  Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024

/** Bytes that the process grew by at most; NaN where the system does not tell. */
function growth(work: () => void): number {
  try {
    collectGarbage()
    // Sets the peak back to what is in use.
    writeFileSync('/proc/self/clear_refs', '5')
    const before = status('VmRSS')
    work()
    return Math.max(0, status('VmHWM') - before)
  } catch {
    return Number.NaN
  }
}

function derive(bytes: Buffer): number {
  const reading = readDocument(bytes, 'x')
  if (reading.kind !== 'filing') return 0
  return cpuMs(() => {
    tradeFacts(reading.filing, 1e9)
    directoryEntry(reading.filing, 1e9)
  })
}

interface Worst {
  figure: number
  shape: string
}

function worst(figures: Worst[]): Worst {
  return figures.reduce((most, each) => (each.figure > most.figure ? each : most), { figure: 0, shape: 'none' })
}

const least = (times: number, measure: () => number) => Math.min(...Array.from({ length: times }, measure))

const reading = new Map<number, Worst[]>(SIZES.map((size) => [size, []]))
const deriving = new Map<number, Worst[]>(SIZES.map((size) => [size, []]))
const memory: Worst[] = []
for (const { name: shape, make } of shapes) {
  // XML over 1 MB is refused by its size alone, so that of bare documents the larger all come to the same.
  const isBare = make(1000).toString('latin1', 0, 5) === '<?xml'
  for (const size of SIZES) {
    if (isBare && size === LARGEST && shape !== 'document: letters') continue
    const bytes = make(size)
    // What a shape is read by is compiled in the first readings of a small one.
    const times = size === LARGEST ? 1 : size < MEGABYTE ? 10 : 3
    const megabytes = bytes.length / MEGABYTE
    if (size === LARGEST) memory.push({ shape, figure: growth(() => readDocument(bytes, 'x')) / bytes.length })
    reading.get(size)!.push({ shape, figure: least(times, () => cpuMs(() => readDocument(bytes, 'x'))) / megabytes })
    deriving.get(size)!.push({ shape, figure: least(times, () => derive(bytes)) / megabytes })
  }
}

/** The longest pause between two turns of the loop, in milliseconds. */
async function longestPause(work: () => Promise<unknown>): Promise<number> {
  let [longest, last, isOver] = [0, performance.now(), false]
  const turn = () => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  // The first turn comes before the work.
  await new Promise((resolve) => setImmediate(resolve))
  await work()
  await new Promise((resolve) => setImmediate(resolve))
  isOver = true
  return longest
}

const read = new OwnershipDocumentReader().read
const slowest = HOSTILE_SHAPES.find(({ name }) => name === worst(reading.get(LARGEST)!).shape) ?? HOSTILE_SHAPES[0]!
const large = slowest.make(LARGEST)
// The thread is started once.
await read(large, 'x')
const pauses = {
  inLoopMs: await longestPause(async () => readDocument(large, 'x')),
  inThreadMs: await longestPause(async () => read(large, 'x')),
}

const bySize = (figures: Map<number, Worst[]>) =>
  Object.fromEntries([...figures].map(([size, found]) => [`${size / MEGABYTE} MB`, worst(found)]))
printBench('hostile-documents', {
  shapes: shapes.length,
  readMsPerMb: bySize(reading),
  deriveMsPerMb: bySize(deriving),
  memoryTimesSize: worst(memory),
  longestPause: pauses,
})
