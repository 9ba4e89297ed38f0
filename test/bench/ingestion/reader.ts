// How fast ownership documents are read, beside saxes doing the same: the same builder, fed by the events of each.
// Run: npx tsx test/bench/ingestion/reader.ts. Prints one JSON line. Real documents where they are at hand, else
// invented ones.
import { deepStrictEqual } from 'node:assert'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OwnershipSections } from '../../../src/infrastructure/edgar/documents/ownership/sections.ts'
import { ownershipDocument } from '../../../src/infrastructure/edgar/documents/ownership/ownership-xml.ts'
import { readDocument } from '../../../src/infrastructure/edgar/documents/read-document.ts'
import { tokenizeXml, type XmlEvents } from '../../../src/infrastructure/edgar/documents/xml/tokenizer.ts'
import { submissionText } from '../../support/filings/filing-builder.ts'
import { saxesTokenize } from '../../support/filings/xml-events.ts'
import { printBench } from '../support/measure.ts'

interface Sample {
  path: string
  bytes: Buffer
  xml: string
}

function sample(path: string, bytes: Buffer): Sample {
  const text = bytes.toString('latin1')
  const xml = /<XML>([^]*?)<\/XML>/.exec(text)?.[1] ?? text
  // A flat string of its own, as the reader's: a slice would be slower to scan.
  return { path, bytes, xml: Buffer.from(xml.trim(), 'latin1').toString('latin1') }
}

function realSamples(): Sample[] {
  const folder = fileURLToPath(new URL('../../../../shared/filings/documents', import.meta.url))
  return existsSync(folder) ? readdirSync(folder).map((name) => sample(name, readFileSync(join(folder, name)))) : []
}

function inventedSamples(): Sample[] {
  return Array.from({ length: 180 }, (_, index) =>
    sample(
      '0001999001-25-000001.txt',
      Buffer.from(
        submissionText({
          rows: Array.from({ length: 1 + (index % 6) }, (_, row) => ({
            shares: String(100 + row),
            footnotes: { price: ['F1'] },
          })),
          derivativeRows: index % 2 === 0 ? [{}] : [],
          footnotes: [{ id: 'F1', text: 'An average of sales at $10.00 to $10.49 & given as such. '.repeat(4) }],
        }),
      ),
    ),
  )
}

function read(tokenize: typeof tokenizeXml, xml: string) {
  const sections = new OwnershipSections()
  tokenize(xml, sections)
  return ownershipDocument(sections, null)
}

const real = realSamples()
const samples = real.length > 0 ? real : inventedSamples()
for (const { xml } of samples) deepStrictEqual(read(tokenizeXml, xml), read(saxesTokenize, xml))

const nothing: XmlEvents = { open() {}, text() {}, close() {} }
const contenders: Record<string, () => void> = {
  tokenizer: () => samples.forEach(({ xml }) => tokenizeXml(xml, nothing)),
  saxes: () => samples.forEach(({ xml }) => saxesTokenize(xml, nothing)),
  reader: () => samples.forEach(({ xml }) => read(tokenizeXml, xml)),
  saxesReader: () => samples.forEach(({ xml }) => read(saxesTokenize, xml)),
  wholeDocument: () => samples.forEach(({ bytes, path }) => readDocument(bytes, path)),
}

// Short turns, taken by all in order: what else the machine does then falls on all alike.
const WARM_UP = 40
const TURNS = 151
const TURN_MS = 15

function turn(run: () => void): number {
  const start = performance.now()
  let filings = 0
  do {
    run()
    filings += samples.length
  } while (performance.now() - start < TURN_MS)
  return (filings / (performance.now() - start)) * 1000
}

const rates = new Map(Object.keys(contenders).map((name) => [name, [] as number[]]))
for (let round = 0; round < WARM_UP + TURNS; round++) {
  for (const [name, run] of Object.entries(contenders)) {
    const rate = turn(run)
    if (round >= WARM_UP) rates.get(name)!.push(rate)
  }
}

const median = (name: string) => rates.get(name)!.sort((a, b) => a - b)[TURNS >> 1]!
printBench('reader', {
  documents: real.length > 0 ? 'real' : 'invented',
  count: samples.length,
  meanXmlBytes: Math.round(samples.reduce((sum, { xml }) => sum + xml.length, 0) / samples.length),
  filingsPerSecond: Object.fromEntries(Object.keys(contenders).map((name) => [name, Math.round(median(name))])),
  ratios: {
    tokenizerToSaxes: median('tokenizer') / median('saxes'),
    readerToSaxesReader: median('reader') / median('saxesReader'),
  },
})
