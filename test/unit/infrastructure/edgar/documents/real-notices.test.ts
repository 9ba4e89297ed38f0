// Every real notice at hand against what it is known to say, field by field. Skipped where the documents are not there.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import { pricePerUnit } from '../../../../../src/domain/notices/judge-notice.ts'
import type { Notice } from '../../../../../src/domain/notices/notice.ts'
import { toText, parseDecimal } from '../../../../../src/domain/shared/decimal.ts'
import { readNotice } from '../../../../../src/infrastructure/edgar/documents/read-notice.ts'

interface Truth extends Record<string, unknown> {
  accession: string | null
  signature: string
  securities: { pricePerUnit: string }[]
}

const folder = fileURLToPath(new URL('../../../../../../shared/notices/', import.meta.url))
const present = existsSync(`${folder}truth.json`)

/** The notice in the shape of the truth, but for the signature, which is not kept. */
function asTruth(notice: Notice): Record<string, unknown> {
  return {
    form: notice.form,
    previousAccession: notice.previousAccession,
    issuer: notice.issuer,
    seller: { ...notice.seller, relationships: notice.seller.relationships.map(({ text }) => text) },
    securities: notice.lines.map(({ classTitle, broker, units, marketValue, unitsOutstanding, ...line }) => ({
      title: classTitle,
      broker,
      units,
      marketValue,
      pricePerUnit: pricePerUnit({ units, marketValue }),
      unitsOutstanding,
      saleDate: line.saleDate,
      exchange: line.exchange,
    })),
    acquired: notice.acquisitions.map((each) => ({
      title: each.classTitle,
      date: each.acquiredDate,
      nature: each.nature,
      from: each.from,
      gift: each.gift,
      donorAcquiredDate: each.donorAcquiredDate,
      units: each.units,
      paymentDate: each.paymentDate,
      payment: each.payment,
    })),
    nothingSoldInPast3Months: notice.nothingSold,
    soldPast3Months: notice.pastSales.map(({ seller, classTitle, ...sale }) => ({
      seller,
      title: classTitle,
      ...sale,
    })),
    planAdoptionDates: notice.planAdoptionDates,
    noticeDate: notice.noticeDate,
    remarks: notice.remarks,
  }
}

describe(`reader of Forms 144 against the truth${present ? '' : ' (skipped: ../shared/notices is not here)'}`, function () {
  before(function () {
    if (!present) this.skip()
  })

  it('reads every document, each field as known', () => {
    const truth = JSON.parse(readFileSync(`${folder}truth.json`, 'utf8')) as Record<string, Truth>
    const names = readdirSync(`${folder}documents`).sort()
    assert.deepEqual(names, Object.keys(truth).sort())
    for (const name of names) {
      const reading = readNotice(readFileSync(`${folder}documents/${name}`), name)
      if (reading.kind !== 'notice') throw new Error(`${name}: ${reading.kind}, ${reading.reason}`)
      const { accession, signature, ...expected } = truth[name]!
      expected.securities = expected.securities.map((line) => ({
        ...line,
        pricePerUnit: toText(parseDecimal(line.pricePerUnit)!),
      }))
      assert.deepEqual(asTruth(reading.notice), expected, name)
      assert.deepEqual(reading.notice.unreadable, [], name)
      if (accession !== null) assert.strictEqual(reading.notice.accession, accession, name)
      if (signature.includes('representative')) assert.notInclude(JSON.stringify(reading.notice), signature, name)
    }
    assert.lengthOf(names, 9)
  })
})
