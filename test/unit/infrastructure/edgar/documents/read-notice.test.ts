// The reader of Forms 144: what it takes from a document, what it keeps of none, and what it refuses.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import type { Notice } from '../../../../../src/domain/notices/notice.ts'
import { NOTICE_LIMITS } from '../../../../../src/infrastructure/edgar/documents/notices/sections.ts'
import { MAX_SUBMISSION_BYTES, readDocument } from '../../../../../src/infrastructure/edgar/documents/read-document.ts'
import { readNotice } from '../../../../../src/infrastructure/edgar/documents/read-notice.ts'
import { submissionText } from '../../../../support/filings/filing-builder.ts'
import { noticeOf, noticeSubmission, noticeXml, type NoticeSpec } from '../../../../support/notices/notice-builder.ts'
import { PRIVATE } from '../../../../support/notices/notice-text.ts'

const PATH = '0001999201-25-000001.txt'
const FIXTURE = readFileSync(join(import.meta.dirname, '../../../../fixtures/notices/own-prefix.xml'), 'utf8')

const read = (text: string, path = PATH): Notice => {
  const reading = readNotice(Buffer.from(text), path)
  if (reading.kind !== 'notice') throw new Error(`${reading.kind}: ${reading.reason}`)
  return reading.notice
}
const refusal = (text: string): string => {
  const reading = readNotice(Buffer.from(text), PATH)
  return reading.kind === 'rejected' ? reading.reason : reading.kind
}

describe('reader of Forms 144', () => {
  const specs: NoticeSpec[] = [
    {},
    { form: '144/A', previousAccession: '0001999201-25-000009' },
    { pastSales: [{}, { seller: 'Sample Trust <2> & "Co"', grossProceeds: '0.50' }], remarks: 'Two\nlines & more.' },
    { pastSales: [{}], nothingSold: true },
    { lines: [{}, { classTitle: 'Class B', broker: null, exchange: null, units: null, marketValue: null }] },
    { acquisitions: [{ gift: true, donorAcquiredDate: '2001-02-03', from: null, paymentDate: null }] },
    { planAdoptionDates: ['2025-01-02', '2025-01-02'], noticeDate: null, sic: null, office: null },
    { seller: { cik: '0001999105', name: 'Sample Fund, L.P.', relationships: ['CEO, Chariman', 'See Remarks'] } },
  ]

  for (const prefix of ['', 'own:', 'ns2:']) {
    it(`reads the XML with ${prefix ? `the prefix ${prefix}` : 'no prefix'}`, () => {
      for (const spec of specs) {
        const dressed = { ...spec, dress: { prefix, addressPrefix: prefix === 'ns2:' ? 'ns3:' : 'com:' } }
        assert.deepEqual(read(noticeXml(dressed)), noticeOf(spec, 'bare'))
      }
    })
  }

  it('reads the full submission with what its header adds', () => {
    for (const spec of specs) assert.deepEqual(read(noticeSubmission(spec), 'x'), noticeOf(spec))
  })

  it('takes elements by local name and parents, whatever the prefixes mean', () => {
    const spec = { dress: { prefix: 'com:', addressPrefix: 'ns2:' } }
    assert.deepEqual(read(noticeXml(spec)), noticeOf({}, 'bare'))
  })

  it('reads a document as filing software writes it', () => {
    assert.deepEqual(read(FIXTURE, 'x'), {
      accession: read(FIXTURE, 'y').accession,
      kind: 'bare',
      form: '144/A',
      previousAccession: '0001999201-25-000009',
      issuer: { cik: '0001999001', name: 'Example Widgets & Sons', fileNumber: null },
      seller: {
        cik: '0001999101',
        name: 'SAMPLE FAMILY TRUST',
        relationships: [
          { text: 'Former Officer', roles: ['officer', 'former'] },
          { text: 'Trust of a 10% Stockholder', roles: ['tenPercent'] },
        ],
      },
      lines: [
        {
          classTitle: 'Class A',
          units: 3000,
          marketValue: '5500000',
          unitsOutstanding: 15_821_946_000,
          saleDate: '2025-06-02',
          exchange: 'NYSE',
          broker: 'First Invented Brokerage',
        },
        {
          classTitle: 'Class B',
          units: null,
          marketValue: null,
          unitsOutstanding: 1000,
          saleDate: null,
          exchange: 'NASD',
          broker: 'Second Invented Brokerage',
        },
      ],
      acquisitions: [
        {
          classTitle: 'Class A',
          acquiredDate: '1933-01-01',
          nature: 'Gift',
          from: 'Bruno Sample',
          gift: true,
          donorAcquiredDate: '1932-12-31',
          units: 722_336,
          paymentDate: null,
          payment: 'N/A',
        },
      ],
      pastSales: [
        {
          seller: 'Invented Charity',
          classTitle: 'Example Widgets',
          saleDate: '2025-05-01',
          units: 0,
          grossProceeds: '0.00',
        },
      ],
      nothingSold: false,
      remarks: 'The shares are held by the Sample Family Trust.',
      noticeDate: '2025-06-02',
      planAdoptionDates: ['2025-03-11', '2025-03-11'],
      unreadable: [
        'securitiesInformation 2, noOfUnitsSold',
        'securitiesInformation 2, aggregateMarketValue',
        'securitiesInformation 2, approxSaleDate',
      ],
      header: null,
    })
  })

  it('keeps no address, phone, e-mail, access code, signer or attachment', () => {
    const text = noticeSubmission({ pastSales: [{}], dress: { attachments: 2 } })
    for (const secret of PRIVATE) assert.include(text, secret)
    for (const document of [text, FIXTURE]) {
      const kept = JSON.stringify(read(document, 'x'))
      for (const secret of PRIVATE) assert.notInclude(kept, secret)
    }
  })

  it('reads a document with a large attachment', () => {
    const text = noticeSubmission({ dress: { attachments: 1 } })
    assert.lengthOf(read(text.replace('QXR0YWNobWVudA==', 'QUJD'.repeat(1_000_000))).lines, 1)
  })

  it('takes dates of one or two digits and of real days of 1900 to 2100 alone', () => {
    const dates: Record<string, string | null> = {
      '6/2/2025': '2025-06-02',
      '02/29/2024': '2024-02-29',
      '02/29/2025': null,
      '13/01/2025': null,
      '01/01/1899': null,
      '12/31/2100': '2100-12-31',
      '01/01/2101': null,
      '2025-06-02': null,
      '06/02/25': null,
      '6-2-2025': null,
    }
    for (const [typed, date] of Object.entries(dates)) {
      const notice = read(noticeXml().replace('06/02/2025</approxSaleDate>', `${typed}</approxSaleDate>`))
      assert.strictEqual(notice.lines[0]!.saleDate, date, typed)
      assert.deepEqual(notice.unreadable, date === null ? ['securitiesInformation 1, approxSaleDate'] : [], typed)
    }
  })

  it('takes whole units of up to 12 digits and never a zero for what it can not read', () => {
    const typed = ['999999999999', '0', '1e3', '-1', '1000000000000', '1,000', '12.0', 'NaN']
    const units = typed.map((text) => read(noticeXml().replace('>10000<', `>${text}<`)).lines[0]!.units)
    assert.deepEqual(units, [999_999_999_999, 0, null, null, null, null, null, null])
  })

  it('leaves other forms and other bytes alone', () => {
    const other = (text: string) => readNotice(Buffer.from(text), PATH).kind
    assert.strictEqual(other(submissionText()), 'not-notice')
    assert.strictEqual(other('<html><body>edgarSubmission</body></html>'), 'not-notice')
    assert.strictEqual(other(''), 'not-notice')
    assert.strictEqual(other(noticeXml().replace('>144<', '>SCHEDULE 13D<')), 'not-notice')
    assert.strictEqual(other(noticeSubmission().replace(/<XML>[^]*<\/XML>/, 'Form 144 as text')), 'not-notice')
    assert.strictEqual(readDocument(Buffer.from(noticeSubmission()), PATH).kind, 'not-ownership')
  })

  it('refuses what it would have to guess, with the place and the reason', () => {
    const xml = noticeXml()
    const without = (element: string) => xml.replace(new RegExp(`<${element}>[^]*?</${element}>`), '')
    const cases: [document: string, reason: RegExp | string][] = [
      [noticeXml({ dress: { liveTestFlag: 'TEST' } }), 'liveTestFlag: a test filing'],
      [noticeXml({ dress: { liveTestFlag: 'MAYBE' } }), 'liveTestFlag: "MAYBE" is not LIVE'],
      [without('issuerCik'), 'issuerInfo 1, issuerCik: missing'],
      [xml.replace('0001999101', 'ABC'), 'edgarSubmission, cik: "ABC" is not a CIK'],
      [without('filer'), 'edgarSubmission, cik: missing'],
      [without('submissionType'), 'submissionType: missing'],
      [noticeSubmission().replace('>144<', '>4<'), 'submissionType: "4" is not Form 144'],
      [without('securitiesInformation'), 'securitiesInformation: missing'],
      [without('issuerInfo'), 'issuerInfo: missing'],
      [xml.replace(/<issuerInfo>[^]*<\/issuerInfo>/, '$&$&'), 'issuerInfo: given twice'],
      [xml.replace(/<issuerCik>.*?<\/issuerCik>/, '$&$&'), 'issuerInfo 1, issuerCik: given twice'],
      [
        xml.replace('<noticeSignature>', '<securitiesInformation>$&'),
        'securitiesInformation 2: <noticeSignature> where it has no place',
      ],
      [
        xml.replace('>Common<', '>Common<b>x</b><'),
        'securitiesInformation 1, securitiesClassTitle: <b> inside the value',
      ],
      [xml.replace('<formData>', '<formData>words'), 'edgarSubmission: stray text "words"'],
      [xml.slice(0, -20), /unclosed tag/],
      [xml.replace('?>', '?><!DOCTYPE edgarSubmission [<!ENTITY e "x">]>'), /DOCTYPE/],
      [xml.replace('SAMPLE ADA', '&e;'), /undefined entity|entity/],
      [
        xml.replaceAll('edgarSubmission', 'edgarSubmissions').replace('<?xml', '<!-- <edgarSubmission> --><?xml'),
        /xml/i,
      ],
      [`<a><edgarSubmission/></a>`, 'root element: <a>, not <edgarSubmission>'],
      [xml.replace('encoding="UTF-8"', 'encoding="UTF-7"').replace('ADA', 'ADÄ'), 'encoding: UTF-7 is not read here'],
      [noticeSubmission().replace('</SEC-DOCUMENT>', ''), 'submission: truncated: no </SEC-DOCUMENT>'],
      [noticeSubmission().replace('</XML>', ''), 'submission: truncated: the XML section is not closed'],
      [noticeSubmission().replace('<TYPE>144', '<TYPE>EX-99'), 'submission: no DOCUMENT of TYPE 144 or 144/A'],
      [
        noticeSubmission().replace('SUBMISSION TYPE:\t144', 'SUBMISSION TYPE:\t144/A'),
        'submissionType: 144, but the header says 144/A',
      ],
    ]
    for (const [document, reason] of cases) {
      if (reason instanceof RegExp) assert.match(refusal(document), reason)
      else assert.strictEqual(refusal(document), reason)
    }
  })

  it('refuses what is larger, deeper or longer than any notice', () => {
    const xml = noticeXml()
    const { sectionsOfAName, field, prose, characters } = NOTICE_LIMITS
    const line = /<securitiesInformation>[^]*<\/securitiesInformation>/.exec(xml)![0]
    assert.strictEqual(read(xml.replace(line, line.repeat(sectionsOfAName))).lines.length, sectionsOfAName)
    const cases: [document: string, reason: RegExp][] = [
      [xml.replace(line, line.repeat(sectionsOfAName + 1)), /more than 500 securitiesInformation elements/],
      [noticeXml({ issuer: { name: 'x'.repeat(field + 1) } }), /issuerName: longer than 500 characters/],
      [noticeXml({ remarks: 'x'.repeat(prose + 1) }), /remarks: longer than 10000 characters/],
      [xml.replace('<formData>', `<formData>${'<a>'.repeat(40)}`), /more than 32 levels/],
      [xml.replace('<formData>', `<formData>${' '.repeat(characters)}`), /bytes of XML, more than/],
      [xml.padEnd(MAX_SUBMISSION_BYTES + 1), /bytes, more than/],
      [noticeSubmission().padEnd(MAX_SUBMISSION_BYTES + 1), /bytes, more than/],
    ]
    for (const [document, reason] of cases) assert.match(refusal(document), reason)
    const reading = readNotice(Buffer.from(submissionText().padEnd(MAX_SUBMISSION_BYTES + 1)), PATH)
    assert.strictEqual(reading.kind, 'not-notice')
  })

  it('never takes a part for the whole: a document that is cut off anywhere', () => {
    for (const text of [
      noticeSubmission({ pastSales: [{}] }).trim(),
      noticeXml({ pastSales: [{}] }).trim(),
      FIXTURE.trim(),
    ]) {
      const bytes = Buffer.from(text)
      for (let length = 0; length < bytes.length; length += 1) {
        assert.notStrictEqual(readNotice(bytes.subarray(0, length), PATH).kind, 'notice', `${length} bytes`)
      }
    }
  })

  it('records a refused document under its accession number', () => {
    const reading = readNotice(Buffer.from(noticeSubmission({ dress: { liveTestFlag: 'TEST' } })), 'x')
    assert.deepInclude(reading, { kind: 'rejected', accession: '0001999201-25-000001' })
  })
})
