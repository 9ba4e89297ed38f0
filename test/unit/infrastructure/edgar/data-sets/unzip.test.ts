// A quarter's data set out of its zip: as the SEC packs it, in other shapes it may come in, and as nobody should send
// it.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { crc32, deflateRawSync } from 'node:zlib'
import { assert } from 'chai'
import fc from 'fast-check'
import { ZipFile } from 'yazl'
import {
  DATA_SET_TABLES,
  readDataSetFolder,
  sha256OfFile,
  unpackDataSet,
  type DataSetLimits,
} from '../../../../../src/infrastructure/edgar/data-sets/unzip.ts'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'

const NAME = '2024q3_form345.zip'
const SUBMISSION =
  'ACCESSION_NUMBER\tISSUERNAME\n0001999001-26-000001\tExample "Widgets" Inc\n' + '0001999001-26-000002\tExämple\n'
const OWNERS = 'ACCESSION_NUMBER\tRPTOWNERCIK\n0001999001-26-000001\t1999101\n'
const ROWS = 'ACCESSION_NUMBER\tNONDERIV_TRANS_SK\n'
const NEEDED = { 'SUBMISSION.tsv': SUBMISSION, 'REPORTINGOWNER.tsv': OWNERS, 'NONDERIV_TRANS.tsv': ROWS }

/** What a hostile entry says of itself, where that is not the truth. */
interface Entry {
  name: string
  data: Buffer | string
  method?: number
  flags?: number
  size?: number
  packedSize?: number
  crc?: number
  mode?: number
}

/** A zip byte by byte, which says whatever a test asks for; sizes and checksum only in its directory. */
function rawZip(entries: Entry[], count = entries.length): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, data, method = 8, flags = 0, size, packedSize, crc, mode = 0 } of entries) {
    const content = Buffer.from(data)
    const packed = method === 8 ? deflateRawSync(content) : content
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(Buffer.byteLength(name), 26)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(3 << 8, 4)
    central.writeUInt16LE(flags, 8)
    central.writeUInt16LE(method, 10)
    central.writeUInt32LE(crc ?? crc32(content), 16)
    central.writeUInt32LE(packedSize ?? packed.length, 20)
    central.writeUInt32LE(size ?? content.length, 24)
    central.writeUInt16LE(Buffer.byteLength(name), 28)
    central.writeUInt32LE((mode << 16) >>> 0, 38)
    central.writeUInt32LE(offset, 42)
    parts.push(local, Buffer.from(name), packed)
    directory.push(central, Buffer.from(name))
    offset += local.length + Buffer.byteLength(name) + packed.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, ...directory, end])
}

const needed: Entry[] = Object.entries(NEEDED).map(([name, data]) => ({ name, data }))
const withEntry = (entry: Entry): Buffer => rawZip([...needed, entry])
/** In place of its table, which comes last. */
const instead = (entry: Entry): Buffer => rawZip([...needed.filter(({ name }) => name !== entry.name), entry])

async function zipOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, data] of Object.entries(files)) {
    if (name.endsWith('/')) zip.addEmptyDirectory(name)
    else zip.addBuffer(Buffer.from(data), name)
  }
  zip.end()
  return buffer(zip.outputStream)
}

describe('data set of a quarter', () => {
  const at = temporaryFolder()
  let into: string
  beforeEach(() => {
    into = at('made/by/unpacking')
  })

  const unpack = (bytes: Buffer, limits?: Partial<DataSetLimits>) => {
    writeFileSync(at(NAME), bytes)
    return unpackDataSet(at(NAME), into, limits)
  }
  const refusal = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => assert.fail('was not refused'),
      (error: Error) => error.message,
    )

  it('is unpacked as the SEC packs it', async () => {
    const linesOf = (index: number): string => `0001999001-26-00000${index}\t${index}\n`.repeat(index * 1000)
    const tables = Object.fromEntries(
      DATA_SET_TABLES.map((table, index) => [`${table}.tsv`, `ACCESSION_NUMBER\t${table}_SK\n${linesOf(index)}`]),
    )
    const others = { 'FORM_345_readme.htm': '<html></html>', 'FORM_345_metadata.json': '{}' }
    const files = await unpack(await zipOf({ ...others, ...tables }))
    assert.deepEqual(Object.keys(files).sort(), [...DATA_SET_TABLES].sort())
    assert.deepEqual(readdirSync(into).sort(), Object.keys(tables).sort())
    for (const [index, table] of DATA_SET_TABLES.entries()) {
      const path = join(into, `${table}.tsv`)
      assert.strictEqual(readFileSync(path, 'utf8'), tables[`${table}.tsv`])
      assert.deepEqual(files[table], { path, lines: index * 1000, columns: ['ACCESSION_NUMBER', `${table}_SK`] })
    }
  })

  it('may lie in a folder, in any case, without the tables that are not needed, stored or packed', async () => {
    const inFolder = needed.map(({ name, data }) => [`2024q3/${name.toLowerCase()}`, data])
    const others = { '2024q3/': '', '2024q3/Readme.TXT': 'x', 'a/b/FOOTNOTES.tsv': 'x' }
    const files = await unpack(await zipOf({ ...others, ...Object.fromEntries(inFolder) }))
    assert.deepEqual(Object.keys(files).sort(), ['NONDERIV_TRANS', 'REPORTINGOWNER', 'SUBMISSION'])
    const { path, lines } = files.SUBMISSION
    assert.deepEqual([path, lines], [join(into, 'SUBMISSION.tsv'), 2])
    assert.deepEqual(await unpack(rawZip(needed.map((entry) => ({ ...entry, method: 0 })))), files)
  })

  it('takes the place of what was unpacked there before, and never follows a link', async () => {
    await unpack(await zipOf({ ...NEEDED, 'SUBMISSION.tsv': `${SUBMISSION}${SUBMISSION}` }))
    writeFileSync(at('elsewhere'), 'untouched')
    rmSync(join(into, 'REPORTINGOWNER.tsv'))
    symlinkSync(at('elsewhere'), join(into, 'REPORTINGOWNER.tsv'))
    await unpack(await zipOf(NEEDED))
    assert.strictEqual(readFileSync(join(into, 'SUBMISSION.tsv'), 'utf8'), SUBMISSION)
    assert.strictEqual(readFileSync(join(into, 'REPORTINGOWNER.tsv'), 'utf8'), OWNERS)
    assert.strictEqual(readFileSync(at('elsewhere'), 'utf8'), 'untouched')
  })

  const texts: [what: string, text: string, lines: number][] = [
    ['without a line break at the end', 'A\tB\n1\t2\n3\t4', 2],
    ['of a header alone', 'A\tB\n', 0],
    ['of a header alone, without line break', 'A\tB', 0],
    ['with an empty line at the end', 'A\tB\n1\t2\n\n', 1],
    ['with empty lines at the end, CR LF', 'A\tB\r\n1\t2\r\n\r\n\r\n', 1],
    ['with an empty line in between', 'A\tB\n1\t2\n\n3\t4\n', 2],
    ['with CR LF', 'A\tB\r\n1\t2\r\n3\t4\r\n', 2],
    ['with CR LF, a header alone', 'A\tB\r\n', 0],
    ['with a byte order mark', '\uFEFFA\tB\n1\t2\n', 1],
    ['with NUL bytes, which stay', 'A\tB\n1\0\t2\n\0\n', 2],
  ]
  for (const [what, text, lines] of texts) {
    it(`counts lines and reads the header of a table ${what}`, async () => {
      const { SUBMISSION: table } = await unpack(await zipOf({ ...NEEDED, 'SUBMISSION.tsv': text }))
      assert.deepEqual(table, { path: join(into, 'SUBMISSION.tsv'), lines, columns: ['A', 'B'] })
      assert.strictEqual(readFileSync(table.path, 'utf8'), text)
    })
  }

  it('counts the lines that are not empty, whatever they are', async () => {
    const word = fc.string({ unit: fc.constantFrom('a', '\t', '"', '\0', 'ä') })
    const line = fc.oneof(fc.constantFrom('', 'x'.repeat(70_000)), word)
    const lineEnd = fc.constantFrom('\n', '\r\n')
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), lineEnd, async (lines, end) => {
        const text = ['A', ...lines].join(end)
        const { SUBMISSION: table } = await unpack(await zipOf({ ...NEEDED, 'SUBMISSION.tsv': text }))
        assert.strictEqual(table.lines, text.split(/\r?\n/).filter(Boolean).length - 1)
      }),
      { numRuns: 30 },
    )
  })

  it('is read from a folder that holds it unpacked', async () => {
    const files = await unpack(await zipOf({ ...NEEDED, 'FOOTNOTES.tsv': 'ACCESSION_NUMBER\tFOOTNOTE_ID\r\n' }))
    writeFileSync(join(into, 'FORM_345_readme.htm'), '<html></html>')
    assert.deepEqual(await readDataSetFolder(into), files)
    rmSync(join(into, 'REPORTINGOWNER.tsv'))
    writeFileSync(join(into, 'reportingowner.TSV'), OWNERS)
    assert.strictEqual((await readDataSetFolder(into)).REPORTINGOWNER.path, join(into, 'reportingowner.TSV'))
    writeFileSync(join(into, 'REPORTINGOWNER.tsv'), OWNERS)
    assert.strictEqual(
      await refusal(readDataSetFolder(into)),
      'unpacking: it has REPORTINGOWNER.tsv twice; unpack the zip of the quarter again',
    )
    rmSync(join(into, 'SUBMISSION.tsv'))
    rmSync(join(into, 'REPORTINGOWNER.tsv'))
    assert.match(await refusal(readDataSetFolder(into)), /^unpacking: no SUBMISSION\.tsv in it; unpack/)
    writeFileSync(join(into, 'SUBMISSION.tsv'), '')
    assert.match(await refusal(readDataSetFolder(into)), /^unpacking: SUBMISSION\.tsv is damaged: it has no header/)
    assert.match(await refusal(readDataSetFolder(at('none'))), /^none: ENOENT.*; check paths/)
  })

  it('has as many lines wherever a piece of it ends', async () => {
    const files = await unpack(await zipOf(NEEDED))
    for (const end of ['\n', '\r\n']) {
      for (let length = 65_530; length < 65_540; length += 1) {
        writeFileSync(files.SUBMISSION.path, `A${end}${'x'.repeat(length)}${end}`)
        assert.strictEqual((await readDataSetFolder(into)).SUBMISSION.lines, 1, `${length}`)
        writeFileSync(files.SUBMISSION.path, `A${end}${'x'.repeat(length)}${end}${end}`)
        assert.strictEqual((await readDataSetFolder(into)).SUBMISSION.lines, 1, `${length}`)
      }
    }
  })

  it('is known by the SHA-256 of its zip', async () => {
    const path = at(NAME)
    writeFileSync(path, Buffer.alloc(1_000_000, 'abc'))
    // By sha256sum.
    assert.strictEqual(await sha256OfFile(path), '124160a42499409d5182bfaa165fe79ae6f308e892a593cdb3707aaa6b2ed6c3')
  })

  describe('is refused, and nothing is left behind,', () => {
    const zeros = Buffer.alloc(12 * 1024 * 1024)
    const bomb = Buffer.concat([Buffer.from('A\tB\n'), zeros])
    const whole = rawZip(needed)
    const damaged = Buffer.from(whole)
    damaged.fill(0x55, 30 + 'SUBMISSION.tsv'.length + 20, 30 + 'SUBMISSION.tsv'.length + 60)
    type Case = [what: string, bytes: Buffer, reason: RegExp | string, limits?: Partial<DataSetLimits>]
    const named = (reason: RegExp, ...names: string[]): Case[] =>
      names.map((name) => [`where a name is ${name}`, withEntry({ name, data: 'A\n' }), reason])
    const many = Array.from({ length: 41 }, (_, index) => ({ name: `${index}.txt`, data: '' }))
    const cases: Case[] = [
      ['where it is empty', Buffer.alloc(0), 'not a zip: nothing'],
      [
        'where it is a page',
        Buffer.from('<!DOCTYPE html>\n<html><title>SEC.gov | File Unavailable</title></html>'),
        'not a zip: the HTML page "SEC.gov | File Unavailable"',
      ],
      ['where it is a table', Buffer.from(SUBMISSION), /^not a zip: begins with "ACCESSION_NUMBER/],
      ['where its end is missing', whole.subarray(0, -30), 'cut short: a zip without its end'],
      ['where half of it is missing', whole.subarray(0, whole.length / 2), 'cut short: a zip without its end'],
      ['where its beginning is missing', whole.subarray(50), /signature/],
      ['where something is added', Buffer.concat([whole, Buffer.from('more')]), /extra bytes at the end/],
      ['where a table is damaged', damaged, /^SUBMISSION\.tsv is damaged: /],
      [
        'where a checksum is wrong',
        instead({ name: 'REPORTINGOWNER.tsv', data: OWNERS, crc: 1 }),
        'REPORTINGOWNER.tsv is damaged: its checksum (CRC) is wrong',
      ],
      [
        'where a stored table was changed',
        instead({ name: 'REPORTINGOWNER.tsv', data: OWNERS, method: 0, crc: 1 }),
        'REPORTINGOWNER.tsv is damaged: its checksum (CRC) is wrong',
      ],
      [
        'where a table goes beyond its end',
        instead({ name: 'SUBMISSION.tsv', data: SUBMISSION, packedSize: 5000 }),
        /^SUBMISSION\.tsv is damaged: .*overflows/,
      ],
      [
        'where a table is shorter than it says',
        instead({ name: 'SUBMISSION.tsv', data: SUBMISSION, size: 5000 }),
        /^SUBMISSION\.tsv is damaged: not enough bytes/,
      ],
      [
        'where a stored table says another size',
        instead({ name: 'SUBMISSION.tsv', data: SUBMISSION, method: 0, size: 9 }),
        /size mismatch/,
      ],
      ['where the directory breaks off', rawZip(needed, 4), /signature|EOF/],
      ['where it is encrypted', withEntry({ name: 'x', data: 'A\n', flags: 1 }), 'x is encrypted'],
      ['where it is strongly encrypted', withEntry({ name: 'x', data: 'A\n', flags: 0x41 }), /encryption/],
      [
        'where it is packed otherwise',
        withEntry({ name: 'x', data: 'A\n', method: 9 }),
        'x is packed by method 9, where a data set has deflate',
      ],
      ['where it has too many entries', rawZip(many), '41 entries, where a data set has about 10 and 40 are allowed'],
      ...named(/^invalid relative path: /, '../SUBMISSION.tsv', 'x/../../FOOTNOTES.tsv', '..'),
      ...named(/^absolute path: /, '/etc/passwd', 'C:/FOOTNOTES.tsv', 'c:x'),
      ...named(/^invalid characters in fileName: /, '..\\FOOTNOTES.tsv', 'a\\b'),
      [
        'where a name is there twice',
        withEntry({ name: 'SUBMISSION.tsv', data: 'A\n' }),
        'it has SUBMISSION.tsv twice',
      ],
      [
        'where a name is there twice but for case',
        rawZip([
          { name: 'x.htm', data: '' },
          { name: 'X.HTM', data: '' },
        ]),
        'it has X.HTM twice',
      ],
      [
        'where tables lie in two folders',
        withEntry({ name: 'old/FOOTNOTES.tsv', data: 'A\n' }),
        'tables in more than one folder',
      ],
      [
        'where an entry is a link',
        withEntry({ name: 'FOOTNOTES.tsv', data: '/etc/passwd', mode: 0o120777 }),
        'FOOTNOTES.tsv is a symbolic link',
      ],
      ['where an entry is a device', withEntry({ name: 'x', data: '', mode: 0o060644 }), 'x is no regular file'],
      [
        'where one entry unpacks to far too much',
        instead({ name: 'SUBMISSION.tsv', data: bomb }),
        /^SUBMISSION\.tsv would unpack \d+ bytes to 12582916, more than 100 to 1$/,
      ],
      ['where an entry that is not unpacked would', withEntry({ name: 'x', data: bomb }), /^x would unpack/],
      [
        'where all together are too much',
        rawZip(needed),
        'it would expand to more than the allowed 150 bytes',
        { bytes: 150 },
      ],
      [
        'where they say they are',
        withEntry({ name: 'x', data: '', packedSize: 4e9, size: 4.2e9 }),
        'it would expand to more than the allowed 4000000000 bytes',
        { bytes: 4e9 },
      ],
      ['where a needed table is missing', rawZip([needed[1]!]), 'no SUBMISSION.tsv, no NONDERIV_TRANS.tsv in it'],
      ['where there is no entry', rawZip([]), 'no SUBMISSION.tsv, no REPORTINGOWNER.tsv, no NONDERIV_TRANS.tsv in it'],
      [
        'where a table is empty',
        withEntry({ name: 'FOOTNOTES.tsv', data: '' }),
        'FOOTNOTES.tsv is damaged: it has no header line',
      ],
      [
        'where a table begins with an empty line',
        withEntry({ name: 'FOOTNOTES.tsv', data: '\r\nA\tB\r\n' }),
        'FOOTNOTES.tsv is damaged: it has no header line',
      ],
      [
        'where a table has no lines',
        withEntry({ name: 'FOOTNOTES.tsv', data: 'A\tB'.repeat(30_000) }),
        'FOOTNOTES.tsv is damaged: its first line is too long for a header',
      ],
      [
        'where a name has line breaks and more',
        withEntry({ name: '/a\nb\u2028\u001b[m', data: '', flags: 0x800 }),
        'absolute path: /a?b??[m',
      ],
    ]
    for (const [what, bytes, reason, limits] of cases) {
      it(what.replaceAll('\n', ' '), async () => {
        const message = await refusal(unpack(bytes, limits))
        const [start, advice] = [`${NAME}: `, '; download the quarter again from the SEC']
        assert.isTrue(message.startsWith(start) && message.endsWith(advice), message)
        const said = message.slice(start.length, -advice.length)
        if (typeof reason === 'string') assert.strictEqual(said, reason)
        else assert.match(said, reason)
        assert.deepEqual(
          readdirSync(at(), { recursive: true }).filter((name) => String(name).includes('.tsv')),
          [],
        )
      })
    }

    it('as soon as more comes out than was said', async () => {
      const message = await refusal(unpack(instead({ name: 'SUBMISSION.tsv', data: bomb, size: 1000 })))
      const come = /SUBMISSION\.tsv is damaged: too many bytes .* expected 1000\. got at least (\d+);/.exec(message)
      assert.isBelow(Number(come?.[1] ?? Infinity), 100_000, message)
    })

    it("but for a folder that was there, and others' files in it", async () => {
      mkdirSync(into, { recursive: true })
      writeFileSync(join(into, 'notes.txt'), 'mine')
      await refusal(unpack(instead({ name: 'REPORTINGOWNER.tsv', data: OWNERS, crc: 1 })))
      assert.deepEqual(readdirSync(into), ['notes.txt'])
    })

    it("where the zip is not there, or can't be unpacked", async () => {
      assert.match(
        await refusal(unpackDataSet(at(NAME), into)),
        /^2024q3_form345\.zip: ENOENT.*; check paths, rights and free space$/,
      )
      mkdirSync(join(into, 'SUBMISSION.tsv'), { recursive: true })
      assert.match(await refusal(unpack(rawZip(needed))), /^2024q3_form345\.zip: .*EISDIR.*; check paths/)
    })
  })
})
