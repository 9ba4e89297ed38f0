// The roles that sentences tell, also for all titles of the real filings.
import { assert } from 'chai'
import { chiefOffices, ownerTitle } from '../../../../src/domain/filings/insider-title.ts'
import type { ReportingOwner } from '../../../../src/domain/filings/filing.ts'
import { spokenRole } from '../../../../src/domain/wording/spoken-role.ts'
import { haveRealFilings, truth } from '../../../support/filings/truth.ts'

const officer = { officer: true, ceo: false, isCeoOrCfo: false }
const ROLES: [title: string, role: string][] = [
  ['COO', 'COO'],
  ['Chief Operating Officer, Director', 'COO'],
  ['President, Chief Operating Officer', 'COO'],
  ['President', 'president'],
  ['President, Director', 'president'],
  ['President, Marketplaces', 'officer'],
  ['Division President, Airframe & Engine Materials', 'officer'],
  ['Executive Chairman of Board, Director', 'executive chair'],
  ['Chairman and Secretary', 'chair'],
  ['Vice Executive Chairman', 'vice chair'],
  ['EVP and General Counsel', 'general counsel'],
  ['Chief Legal Officer', 'chief legal officer'],
  ['EVP, Chief Information Officer', 'chief information officer'],
  ['Chief WholesaleBanking Officer', 'officer'],
  ['SVP', 'senior vice president'],
  ['Sr. Vice President', 'senior vice president'],
  ['EVP, Operations', 'executive vice president'],
  ['VP', 'vice president'],
  ['Vice President & Treasurer', 'treasurer'],
  ['SVP/CONTROLLER', 'controller'],
  ['Secretary', 'secretary'],
  ['Officer', 'officer'],
  ['Co-Founder', 'co-founder'],
  ['10% Owner, Wizard', 'officer'],
  ['', 'officer'],
]

describe('roles in sentences', () => {
  it('of chiefs', () => {
    const ceo = { officer: true, ceo: true, isCeoOrCfo: true }
    assert.strictEqual(spokenRole('CEO, UHG, Director', ceo), 'CEO')
    assert.strictEqual(spokenRole('Co-CEO', ceo), 'co-CEO')
    assert.strictEqual(spokenRole('Interim Chief Executive Officer', ceo), 'interim CEO')
    assert.strictEqual(spokenRole('President & CFO', { ...ceo, ceo: false }), 'CFO')
    assert.strictEqual(spokenRole('Acting CFO', { ...ceo, ceo: false }), 'acting CFO')
  })

  it('of other officers', () => {
    for (const [title, role] of ROLES) assert.strictEqual(spokenRole(title, officer), role, title)
  })

  it('of those who are no officers', () => {
    const none = { ...officer, officer: false }
    for (const [title, role] of [
      ['Director', 'director'],
      ['Director, 10% Owner', 'director'],
      ['10% Owner', '10% owner'],
      ['10% Owner, Member of a Group', '10% owner'],
      ['Director of Adviser', ''],
      ['President of subsidiary bank', ''],
      ['', ''],
    ])
      assert.strictEqual(spokenRole(title!, none), role)
  })

  const why = haveRealFilings ? '' : ' (skipped: ../shared/filings is not here)'
  it(`of all owners of the real filings${why}`, function () {
    if (!haveRealFilings) return this.skip()
    const told = Object.values(truth()).flatMap((filing) =>
      filing.owners.map((owner) => {
        const [one, source] = [owner as ReportingOwner, { remarks: null, footnotes: [], issuer: filing.issuer }]
        const { ceo, cfo } = chiefOffices(one, source as never)
        return spokenRole(ownerTitle(one, source), { officer: one.isOfficer === true, ceo, isCeoOrCfo: ceo || cfo })
      }),
    )
    const counts = Object.fromEntries(
      [...Map.groupBy(told, (role) => role)].map(([role, all]) => [role, all.length]).sort(),
    )
    assert.isAbove(counts['director'] as number, 40)
    assert.isBelow(counts['officer'] as number, 20)
    for (const role of Object.keys(counts))
      assert.match(role, /^(?:|10% owner|(?:interim |co-|acting )?C[A-Z]O|[a-z -]{5,30})$/)
  })
})
