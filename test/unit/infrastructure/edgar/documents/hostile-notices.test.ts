// Notices made to cost their reader time: none costs more than time in proportion to its size, nor does what is derived
// from it.
import { assert } from 'chai'
import { filedNotice } from '../../../../../src/domain/notices/filed-notice.ts'
import { judgeNotice } from '../../../../../src/domain/notices/judge-notice.ts'
import { linkNotices } from '../../../../../src/domain/notices/link-notices.ts'
import { NOTICE_LIMITS } from '../../../../../src/infrastructure/edgar/documents/notices/sections.ts'
import { readNotice } from '../../../../../src/infrastructure/edgar/documents/read-notice.ts'
import { PHRASES, repeated, RUNS, within, type HostileShape } from '../../../../support/filings/hostile-documents.ts'
import { superlinear } from '../../../../support/linear-time.ts'
import { filed, noticeSubmission, noticeXml } from '../../../../support/notices/notice-builder.ts'
import { saleOf } from '../../../../support/notices/reported-sales.ts'
import { volume } from '../../../../support/volume.ts'

const STRIDE = volume('every nth shape of hostile notices', 9, 1)
const PLACE = '@HERE@'
const LONGEST = NOTICE_LIMITS.prose
const SURROUNDINGS = { usualPrice: () => '25', isNewSeller: true, isKnownBroker: () => false }
const xml = noticeXml({ remarks: 'REMARK', pastSales: [{}] })
const submission = noticeSubmission({ remarks: 'REMARK' })

const TAGS = [
  '<a>',
  '<a/>',
  '<a:b/>',
  '<edgarSubmission>',
  '<edgarSubmission/>',
  '<securitiesInformation/>',
  '<securitiesInformation>',
  '<securitiesSoldInPast3Months/>',
  '<relationshipToIssuer>a</relationshipToIssuer>',
  '<planAdoptionDate>01/01/2025</planAdoptionDate>',
  '<document><contents>QUFB</contents></document>',
  '<!---->',
  '<![CDATA[]]>',
  ':',
].map((tag) => [tag, repeated(tag)] as const)

const SHAPES: HostileShape[] = [
  ...within('remarks', xml.replace('REMARK', PLACE), [...RUNS, ...PHRASES]),
  ...within('long remarks', xml.replace('REMARK', `${'Held by the Sample Trust. '.repeat(300)}${PLACE}`), RUNS),
  ...within('seller', xml.replace('SAMPLE ADA', PLACE), RUNS),
  ...within('relationship', xml.replace('>Officer<', `>${PLACE}<`), [...RUNS, ...PHRASES]),
  ...within('class', xml.replace('>Common<', `>${PLACE}<`), RUNS),
  ...within('units', xml.replace('>10000<', `>${PLACE}<`), RUNS),
  ...within('value', xml.replace('>250000.00<', `>${PLACE}<`), RUNS),
  ...within('date', xml.replace('>06/02/2025<', `>${PLACE}<`), RUNS),
  ...within('form', xml.replace('<formData>', `<formData>${PLACE}`), [...RUNS, ...TAGS]),
  ...within('root', xml.replace('</edgarSubmission>', `${PLACE}</edgarSubmission>`), [...RUNS, ...TAGS]),
  ...within('before the root', `${PLACE}${xml}`, [...RUNS, ...TAGS]),
  ...within('attribute', xml.replace('<edgarSubmission ', `<edgarSubmission a="${PLACE}" `), RUNS),
  ...within('header', submission.replace('SUBJECT COMPANY:', `${PLACE}\nSUBJECT COMPANY:`), RUNS),
  ...within('submission', submission.replace('</SEC-DOCUMENT>', `${PLACE}</SEC-DOCUMENT>`), [...RUNS, ...TAGS]),
]

describe('a hostile notice', function () {
  it('is read in linear time, and so is what is derived from it', function () {
    this.timeout(300_000)
    const sales = [saleOf({ ownerName: 'SAMPLE ADA' })]
    const slow: string[] = []
    for (const { name, make } of SHAPES.filter((_, index) => index % STRIDE === 0)) {
      const found = superlinear((size) => {
        const bytes = make(size)
        return () => {
          const reading = readNotice(bytes, 'x')
          if (reading.kind !== 'notice') return
          const notice = filedNotice(reading.notice, 4e9)
          judgeNotice(notice, SURROUNDINGS)
          linkNotices({ notices: [notice], sales, owners: [], asOf: 4e9 })
        }
      })
      if (found !== null) slow.push(`${name}: ${found}`)
    }
    assert.deepEqual(slow, [])
    assert.isAbove(SHAPES.length, 450)
  })

  it('has remarks from which names and plans are read in linear time', function () {
    this.timeout(120_000)
    const slow = PHRASES.flatMap(([name, fill]) => {
      const found = superlinear((size) => {
        const remarks = `Sold by the Sample Trust ${fill(LONGEST - 100).toString()}`.slice(0, LONGEST)
        const notices = Array.from({ length: Math.ceil(size / LONGEST) }, (_, index) =>
          filed({ accession: `0001999201-26-${String(index).padStart(6, '0')}`, remarks }),
        )
        return () => {
          for (const notice of notices) judgeNotice(notice, SURROUNDINGS)
          assert.lengthOf(linkNotices({ notices, sales: [], owners: [], asOf: 4e9 }), notices.length)
        }
      })
      return found === null ? [] : [`${name}: ${found}`]
    })
    assert.deepEqual(slow, [])
  })
})
