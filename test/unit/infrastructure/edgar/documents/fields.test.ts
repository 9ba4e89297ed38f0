// Field by field: how values are read, what is refused rather than guessed at, and what is skipped.
import { assert } from 'chai'
import type { DerivativeRow, Filing, NonDerivativeRow } from '../../../../../src/domain/filings/filing.ts'
import { MAX_SUBMISSION_BYTES, readDocument } from '../../../../../src/infrastructure/edgar/documents/read-document.ts'
import { filingOf, ownershipXml, submissionText } from '../../../../support/filings/filing-builder.ts'

/** The default document with one change. Throws where the change does not apply. */
function changed(from: string | RegExp, to: string, text = ownershipXml()): string {
  const result = text.replace(from, () => to)
  if (result === text) throw new Error(`nothing to change: ${from}`)
  return result
}

function read(text: string | Buffer): Filing {
  const found = readDocument(Buffer.from(text as string), 'form4.xml')
  if (found.kind !== 'filing') throw new Error(`${found.kind}: ${found.reason}`)
  return found.filing
}

function row(text: string): NonDerivativeRow {
  return read(text).nonDerivative[0]!
}

function refusal(text: string | Buffer): string {
  const found = readDocument(Buffer.from(text as string), 'form4.xml')
  return found.kind === 'filing' ? 'read' : `${found.kind}: ${found.reason}`
}

const PRICE = /<value>10<\/value>/
const IN_PRICE = 'nonDerivativeTransaction 1, transactionPricePerShare'
const withPrice = (price: string) => changed(PRICE, `<value>${price}</value>`)

describe('the document reader, field by field', function () {
  describe('numbers', function () {
    const asFiled: Record<string, string | null> = {
      '9': '9',
      '9.90': '9.90',
      '.5': '.5',
      '106150.00': '106150.00',
      ' 7 ': '7',
      '0': '0',
      '$1,234.50': '1234.50',
      '+3': '3',
      $: null,
      '': null,
      ' \n ': null,
      '999999999999.9999': '999999999999.9999',
      '000000000000000000000001': '000000000000000000000001',
    }
    for (const [filed, expected] of Object.entries(asFiled)) {
      it(`${JSON.stringify(filed)} is ${expected}`, function () {
        assert.strictEqual(row(withPrice(filed)).price, expected)
      })
    }

    const refused = ['-5', '(5)', 'NaN', '1e5', 'Infinity', '0x1F', '1.2.3', '.', 'ten', '1 000x', '٣']
    for (const filed of [...refused, '1'.repeat(16), '1'.repeat(500)]) {
      it(`${JSON.stringify(filed.slice(0, 20))} refuses the document`, function () {
        assert.match(
          refusal(withPrice(filed)),
          /^rejected: nonDerivativeTransaction 1, transactionPricePerShare: ".*" is not a decimal number/,
        )
      })
    }

    it('a price with only a footnote is null, and the footnote is kept', function () {
      const { price, footnotes } = row(changed(PRICE, '<footnoteId id="F7"/><footnoteId id=" F10 "/><footnoteId/>'))
      assert.strictEqual(price, null)
      assert.deepEqual(footnotes, { all: ['F7', 'F10'], coding: [], price: ['F7', 'F10'], nature: [] })
    })

    it('footnotes are collected from the whole row', function () {
      let text = ownershipXml()
      const places = [
        'securityTitle',
        'transactionDate',
        'transactionShares',
        'transactionAcquiredDisposedCode',
        'sharesOwnedFollowingTransaction',
        'directOrIndirectOwnership',
      ]
      for (const [index, name] of places.entries()) {
        text = changed(`</${name}>`, `<footnoteId id="F${9 - index}"/></${name}>`, text)
      }
      text = changed('</transactionCode>', '</transactionCode><footnoteId id="F10"/>', text)
      assert.deepEqual(row(text).footnotes, {
        all: ['F4', 'F5', 'F6', 'F7', 'F8', 'F9', 'F10'],
        coding: ['F10'],
        price: [],
        nature: [],
      })
    })
  })

  describe('dates', function () {
    const withDate = (date: string) => changed(/<value>2025-03-12<\/value>/, `<value>${date}</value>`)
    const asFiled: Record<string, string> = {
      '2024-07-19': '2024-07-19',
      '2024-07-19-05:00': '2024-07-19',
      '2024-07-19Z': '2024-07-19',
      '2024-07-19T00:00:00': '2024-07-19',
      '0023-03-23': '0023-03-23',
      '2035-01-10': '2035-01-10',
      '2024-02-29': '2024-02-29',
    }
    for (const [filed, expected] of Object.entries(asFiled)) {
      it(`${filed} is ${expected}`, function () {
        assert.include(row(withDate(filed)), { date: expected, dateRaw: filed })
      })
    }

    const refused = ['2023-02-29', '2024-13-01', '2024-00-10', '0000-01-01', '03/12/2025', '12-MAR-2025', '2025-3-12']
    for (const filed of refused) {
      it(`${filed} refuses the document`, function () {
        assert.strictEqual(
          refusal(withDate(filed)),
          `rejected: nonDerivativeTransaction 1, transactionDate: "${filed}" is not a date`,
        )
      })
    }

    it("a signature's that can't be read is as good as none", function () {
      const { signatures } = read(changed('<signatureDate>2025-03-14', '<signatureDate>March 14'))
      assert.deepEqual(signatures, [{ name: '/s/ Ada Sample', date: null }])
    })
  })

  describe('boxes', function () {
    const asFiled: Record<string, boolean | null> = {
      1: true,
      0: false,
      true: true,
      FALSE: false,
      True: true,
      ' 1 ': true,
      '': null,
      yes: null,
      X: null,
    }
    for (const [filed, expected] of Object.entries(asFiled)) {
      it(`${JSON.stringify(filed)} is ${expected}`, function () {
        assert.strictEqual(read(changed('<isOfficer>1<', `<isOfficer> ${filed}<`)).owners[0]!.isOfficer, expected)
      })
    }
  })

  describe('what is missing', function () {
    it('transactionCoding may be missing altogether, which leaves the code empty', function () {
      const uncoded = row(changed(/<transactionCoding>[^]*<\/transactionCoding>/, ''))
      assert.include(uncoded, { code: null, formType: null, equitySwap: null, price: '10' })
    })

    it('a title that is only a footnote is empty', function () {
      assert.strictEqual(row(changed('<value>Common Stock</value>', '<footnoteId id="F1"/>')).securityTitle, '')
    })

    it('names and symbol are empty, tables and remarks may be absent', function () {
      const bare = ownershipXml()
        .replace(/<(nonDerivativeTable|derivativeTable|footnotes)>[^]*?<\/\1>|<remarks>.*/g, '')
        .replace(/<(issuerName|issuerTradingSymbol|rptOwnerName)>.*/g, '')
      const expected = filingOf({ rows: [], signatures: [{}] }, 'bare')
      assert.deepEqual(
        { ...read(bare), accession: expected.accession },
        {
          ...expected,
          issuer: { ...expected.issuer, name: '', tickerRaw: '' },
          owners: [{ ...expected.owners[0], name: '' }],
        },
      )
    })

    const required: [what: string, text: string, reason: string][] = [
      ['issuer', changed(/<issuer>[^]*<\/issuer>/, ''), 'issuer: missing'],
      ['issuerCik', changed(/<issuerCik>.*/, ''), 'issuer, issuerCik: missing'],
      ['a CIK that is one', changed('<issuerCik>0', '<issuerCik>90'), 'issuer, issuerCik: "90001999001" is not a CIK'],
      ['owners', changed(/<reportingOwner>[^]*<\/reportingOwner>/, ''), 'reportingOwner: missing'],
      [
        'rptOwnerCik',
        changed(/<rptOwnerCik>.*/, '', ownershipXml({ owners: [{}, {}] })),
        'reportingOwner 1, rptOwnerCik: missing',
      ],
      [
        'a form that is ours',
        changed('<documentType>4', '<documentType>144'),
        'documentType: "144" is not one of Forms 3, 4 and 5',
      ],
      ['securityTitle', changed('Common Stock', ''), 'nonDerivativeTransaction 1: securityTitle is missing'],
    ]
    for (const [what, text, reason] of required) {
      it(`without ${what} the document is refused`, function () {
        assert.strictEqual(refusal(text), `rejected: ${reason}`)
      })
    }
  })

  describe("what can't be placed", function () {
    const refused: [what: string, text: string, reason: string][] = [
      [
        'a field twice',
        changed(
          '<transactionPricePerShare>',
          '<transactionPricePerShare><value>5</value></transactionPricePerShare><transactionPricePerShare>',
        ),
        `${IN_PRICE}: given twice`,
      ],
      ['two values', changed(PRICE, '<value>10</value><value>11</value>'), `${IN_PRICE}: two values`],
      ['text beside the value', changed(PRICE, '5<value>10</value>'), `${IN_PRICE}: text beside the value`],
      ['markup in a value', changed(PRICE, '<value>1<b>0</b></value>'), `${IN_PRICE}: <b> inside the value`],
      [
        'a value in the wrong element',
        changed(PRICE, '<amount>10</amount>'),
        `${IN_PRICE}: unknown elements instead of a value`,
      ],
      [
        'stray text in a row',
        changed('<transactionAmounts>', '<transactionAmounts>100'),
        'nonDerivativeTransaction 1: stray text "100"',
      ],
      [
        'a row in the wrong table',
        ownershipXml().replaceAll('nonDerivativeTransaction>', 'derivativeTransaction>'),
        'ownershipDocument: <derivativeTransaction> where it has no place',
      ],
      [
        'a table inside something unknown',
        ownershipXml()
          .replace('<nonDerivativeTable>', '<new><nonDerivativeTable>')
          .replace('</nonDerivativeTable>', '</nonDerivativeTable></new>'),
        'ownershipDocument: <nonDerivativeTable> where it has no place',
      ],
      ['two issuers', changed('<issuer>', '<issuer><issuerCik>1</issuerCik></issuer><issuer>'), 'issuer: given twice'],
      [
        'an unknown letter',
        changed('<value>A</value>', '<value>B</value>'),
        'nonDerivativeTransaction 1, transactionAcquiredDisposedCode: "B" is neither A nor D',
      ],
      [
        'another root',
        ownershipXml()
          .replaceAll('ownershipDocument>', 'ownershipDocuments>')
          .replace('<issuer>', '<issuer><ownershipDocument/>'),
        'root element: <ownershipDocuments>, not <ownershipDocument>',
      ],
      [
        'a DOCTYPE',
        changed('<ownershipDocument>', '<!DOCTYPE ownershipDocument [<!ENTITY a "b">]><ownershipDocument>'),
        'line 2: a DOCTYPE, which no ownership document has, is refused',
      ],
      [
        'a bare ampersand',
        changed('Example Widgets Inc', 'Widgets & Co'),
        'line 8, in <issuerName>: "&" that begins no reference',
      ],
    ]
    for (const [what, text, reason] of refused) {
      it(`${what}: the document is refused`, function () {
        assert.strictEqual(refusal(text), `rejected: ${reason}`)
      })
    }

    it('elements without meaning here are skipped, whatever they hold', function () {
      const unknown = '<new at="1"><value>9</value><transactionShares><value>9</value></transactionShares>x</new>'
      let text = ownershipXml()
      const places = [
        'issuer',
        'nonDerivativeTable',
        'nonDerivativeTransaction',
        'transactionAmounts',
        'transactionShares',
      ]
      for (const place of places.map((name) => `<${name}>`)) {
        text = changed(place, place + unknown, text)
      }
      assert.deepEqual({ ...read(text), accession: '' }, { ...read(ownershipXml()), accession: '' })
    })

    it('comments, CDATA and instructions change nothing', function () {
      assert.strictEqual(row(changed(PRICE, '<value>1<!-- x --><?y?><![CDATA[0]]></value>')).price, '10')
    })
  })

  describe('old schemas', function () {
    const old = (rows: string) =>
      submissionText({ schemaVersion: 'X0101' })
        .replace(/ *<(documentType|periodOfReport)>.*\n/g, '')
        .replace(/<nonDerivativeTable>[^]*<\/derivativeTable>/, rows)
    const title = '<securityTitle><value>Common</value></securityTitle>'
    const sale =
      `${title}<transactionCoding><transactionCode>S</transactionCode></transactionCoding>` +
      '<transactionAmounts><transactionShares><value>5</value></transactionShares>' +
      '<transactionValue><value>3.8</value><footnoteId id="F1"/></transactionValue></transactionAmounts>'
    const held = `${title}<sharesOwnedFollowingTransaction><value>70</value></sharesOwnedFollowingTransaction>`

    it('X0101: rows under the root or in tables, sales apart from holdings, price as transactionValue', function () {
      const { nonDerivative, derivative, formType } = read(
        old(
          `<nonDerivativeSecurity>${sale}</nonDerivativeSecurity><derivativeSecurity>${sale}</derivativeSecurity>` +
            `<nonDerivativeTable><nonDerivativeSecurity>${held}</nonDerivativeSecurity></nonDerivativeTable>`,
        ),
      )
      assert.strictEqual(formType, '4')
      const seen = nonDerivative.map((each) => [
        each.kind,
        each.code,
        each.price,
        each.footnotes.price,
        each.sharesAfter,
      ])
      assert.deepEqual(seen, [
        ['transaction', 'S', '3.8', ['F1'], null],
        ['holding', null, null, [], '70'],
      ])
      const [option] = derivative as [DerivativeRow]
      assert.include(option, { table: 'derivative', kind: 'transaction', price: '3.8' })
    })

    it('a price given in both ways is refused', function () {
      const both = sale.replace(
        '<transactionValue>',
        '<transactionPricePerShare><value>4</value></transactionPricePerShare><transactionValue>',
      )
      assert.strictEqual(
        refusal(old(`<nonDerivativeSecurity>${both}</nonDerivativeSecurity>`)),
        'rejected: nonDerivativeSecurity 1: both a price per share and a value',
      )
    })

    it('a document cut into lines of one width is put together again', function () {
      const flat = ownershipXml().replace(/\n\s*/g, '')
      const cut = flat.replace(/.{120}/g, '$&\n')
      assert.match(cut, /<\/?\w+\n\w+>/)
      assert.deepEqual({ ...read(cut), accession: '' }, { ...read(flat), accession: '', repaired: true })
      assert.match(refusal(cut.slice(0, -3)), /^rejected: line/)
    })
  })

  describe('bytes', function () {
    const accented = (encoding: string, bytes: number[]) => {
      const text = ownershipXml({ issuer: { name: 'Caf# Widgets' } }).replace(
        'version="1.0"',
        `version="1.0"${encoding}`,
      )
      const [before, after] = text.split('#') as [string, string]
      return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
    }

    it('are UTF-8, with or without a mark or a declaration', function () {
      for (const encoding of ['', ' encoding="UTF-8"', " encoding='utf8'"]) {
        assert.strictEqual(read(accented(encoding, [0xc3, 0xa9])).issuer.name, 'Café Widgets')
      }
      const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), accented('', [0xc3, 0xa9])])
      assert.strictEqual(read(marked).issuer.name, 'Café Widgets')
    })

    it('are windows-1252 where Latin-1 is declared, or where nothing is and they are no UTF-8', function () {
      assert.strictEqual(read(accented(' encoding="ISO-8859-1"', [0xe9])).issuer.name, 'Café Widgets')
      assert.strictEqual(read(accented('', [0xe9, 0x92])).issuer.name, 'Café’ Widgets')
      assert.strictEqual(read(accented(' encoding="ISO-8859-1"', [0xc3, 0xa9])).issuer.name, 'CafÃ© Widgets')
    })

    it('of another encoding than declared are refused', function () {
      assert.strictEqual(
        refusal(accented(' encoding="UTF-8"', [0xe9])),
        'rejected: encoding: not UTF-8, as the XML declaration says',
      )
      assert.strictEqual(
        refusal(accented(' encoding="Shift_JIS"', [0xc3, 0xa9])),
        'rejected: encoding: Shift_JIS is not read here',
      )
    })

    it("of exhibits don't matter", function () {
      const text = submissionText({ issuer: { name: 'Café' }, dress: { exhibits: 1 } })
      const [before, after] = text.split('& so on') as [string, string]
      const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xe9, 0xff]), Buffer.from(after)])
      assert.strictEqual(read(bytes).issuer.name, 'Café')
    })
  })

  describe('none of ours', function () {
    const ofForm = (form: string) => submissionText().replaceAll(/(TYPE:\t|<TYPE>)4/g, `$1${form}`)
    const others: [what: string, text: string | Buffer, reason: RegExp][] = [
      ['nothing', '', /^empty$/],
      ['a rendered page', '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN">\n<html><ownershipDocument>', /HTML page/],
      ['an XHTML page', '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"></html>', /HTML page/],
      ['other XML', '<?xml version="1.0"?><edgarSubmission/>', /no ownershipDocument/],
      ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]), /binary/],
      ['a prospectus', ofForm('424B2'), /^form 424B2, without ownership XML$/],
      [
        'a Form 4 as text',
        submissionText().replace('<XML>', '').replace('</XML>', ''),
        /^form 4, without ownership XML$/,
      ],
      ['a large report', Buffer.concat([Buffer.from(ofForm('10-K')), Buffer.alloc(MAX_SUBMISSION_BYTES)]), /more than/],
      ['a million comments', '<!---->'.repeat(100_000), /no ownershipDocument/],
    ]
    for (const [what, text, reason] of others) {
      it(what, function () {
        const found = readDocument(Buffer.from(text as string), 'x')
        assert.include(found, { kind: 'not-ownership' })
        assert.match((found as { reason: string }).reason, reason)
      })
    }

    it('but an ownership document that is too large is refused, not overlooked', function () {
      const padding = Buffer.alloc(MAX_SUBMISSION_BYTES, 32)
      for (const text of [submissionText(), ownershipXml()]) {
        assert.match(refusal(Buffer.concat([Buffer.from(text), padding])), /^rejected: \d+ bytes, more than 20971520$/)
      }
    })
  })
})
