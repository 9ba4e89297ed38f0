// Filings for what the other invented histories hold nothing of: trades of the same month of each year, both tables with
// holdings, all forms, texts that are hard to carry, and what filers get wrong.
import type { FilingSpec, RowSpec } from '../filings/filing-builder.ts'

const ISSUER = { cik: '0009990501', name: 'Example "Odd" & Sons, <Inc>', tickerRaw: 'EXOD' }
const ADA = { cik: '0009990511', name: 'SAMPLE ADA', isOfficer: true, officerTitle: 'Chief Executive Officer' }
const NILS = { cik: '0009990512', name: "O'NOBODY NILS", isDirector: true }
const FUND = { cik: '0009990513', name: 'Example Odd Partners L.P.', isTenPercentOwner: true }

const accession = (agent: number, place: number, year: number): string =>
  `000999050${agent}-${String(year % 100).padStart(2, '0')}-${String(place).padStart(6, '0')}`

/** Sales of each March and purchases of some, over five years: what is routine, and first purchases in years. */
export function yearlyTrades(): FilingSpec[] {
  return [2020, 2021, 2022, 2023, 2024].flatMap((year, index): FilingSpec[] => {
    const sale: RowSpec = { code: 'S', acquiredDisposed: 'D', date: `${year}-03-05`, shares: '4000', price: '30' }
    const filed = { acceptedAt: `${year}0307171500`, issuer: ISSUER }
    const bought = index === 0 || index === 4
    return [
      {
        ...filed,
        accession: accession(1, index * 2 + 1, year),
        owners: [ADA],
        rows: [{ ...sale, sharesAfter: '90000' }],
      },
      ...(bought
        ? [
            {
              ...filed,
              accession: accession(1, index * 2 + 2, year),
              owners: [NILS],
              rows: [
                { date: `${year}-03-06`, shares: '5000', price: '29.1234', sharesAfter: `${5_000 + index * 100}` },
              ],
            },
          ]
        : []),
    ]
  })
}

export function oddFilings(): FilingSpec[] {
  const specs: FilingSpec[] = [
    {
      formType: '3',
      owners: [ADA],
      rows: [
        { kind: 'holding', sharesAfter: '90000' },
        { kind: 'holding', sharesAfter: '1200.1234', directIndirect: 'I', nature: 'By "Odd"\tTrust' },
      ],
      derivativeRows: [{ kind: 'holding', conversionPrice: '12.5', exerciseDate: null, underlyingShares: '4000' }],
    },
    {
      owners: [ADA],
      rows: [
        { code: 'M', price: '12.5', shares: '1000', sharesAfter: '91000' },
        { code: 'F', acquiredDisposed: 'D', price: '31', shares: '400', sharesAfter: '90600' },
      ],
      derivativeRows: [{ code: 'M', acquiredDisposed: 'D', shares: '1000', price: '0', sharesAfter: '3000' }],
      footnotes: [{ id: 'F1', text: 'Vests "in full"\non the first\tanniversary — naïvely “quoted” 株式 =1+1.' }],
    },
    {
      formType: '5',
      owners: [NILS],
      rows: [{ code: 'G', acquiredDisposed: 'D', price: '0', shares: '50', timeliness: 'L' }],
    },
    {
      formType: '5/A',
      owners: [NILS],
      rows: [{ code: 'G', acquiredDisposed: 'D', price: '0', shares: '55' }],
      dateOfOriginalSubmission: '2024-05-14',
    },
    { formType: '3/A', owners: [FUND], noSecuritiesOwned: true, rows: [] },
    { owners: [ADA, NILS, FUND], rows: [{ shares: '150000', price: '28.5', directIndirect: 'I', nature: 'By Fund' }] },
    { owners: [FUND], rows: [{ shares: '150000', price: '28.5', directIndirect: 'I', nature: 'By Fund' }] },
    {
      owners: [NILS],
      rows: [
        { date: '2025-05-01', price: '28' },
        { date: '1024-05-01', dateRaw: '1024-05-01-05:00', price: '28' },
      ],
    },
    {
      owners: [NILS],
      rows: [
        { shares: '99999999999', price: '28' },
        { shares: '100', price: '123456789.5' },
      ],
    },
    {
      owners: [NILS],
      rows: [{ code: 'J', price: null, footnotes: { price: ['F1'] } }],
      footnotes: [{ id: 'F1', text: 'In euros.' }],
    },
    {
      owners: [{ ...ADA, officerTitle: 'See Remarks' }],
      remarks: 'Ada Sample is Interim Co-CEO.',
      rows: [{ price: '27', shares: '9000' }],
    },
    {
      owners: [{ ...ADA, officerTitle: '=HYPERLINK("x")' }],
      notSubjectToSection16: true,
      rows: [{ code: 'S', acquiredDisposed: 'D', price: '27', shares: '60000' }],
    },
    {
      owners: [NILS],
      issuer: { ...ISSUER, tickerRaw: '(NYSE: EXOD.B)' },
      rows: [{ securityTitle: 'Class B Common', price: '20' }],
    },
    { owners: [NILS], issuer: { ...ISSUER, tickerRaw: 'N/A' }, rows: [{ code: null, price: '20' }], aff10b5One: true },
  ]
  return specs.map((spec, index) => ({
    accession: accession(2, index + 1, 2024),
    acceptedAt: `202405${10 + index}20${10 + index}05`,
    issuer: ISSUER,
    ...spec,
    rows: (spec.rows ?? []).map((row) => ({ date: '2024-05-08', ...row })),
    ...(spec.derivativeRows && { derivativeRows: spec.derivativeRows.map((row) => ({ date: '2024-05-08', ...row })) }),
  }))
}
