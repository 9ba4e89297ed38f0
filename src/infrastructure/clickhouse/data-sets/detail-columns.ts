// The columns of the SEC's data sets that a filing's answer is made from, by file. Addresses are in none of them.

/** `code` and `note` as typed, `prose` without quotes, a `date` as 2024-07-31, an `amount` as its digits. */
export type ColumnKind = 'code' | 'note' | 'prose' | 'date' | 'amount'
type Columns = Readonly<Record<string, ColumnKind>>

/** Each of these columns of a table has a twin with the footnotes of its cell. */
const HELD = {
  SECURITY_TITLE: 'prose',
  TRANS_FORM_TYPE: 'code',
  SHRS_OWND_FOLWNG_TRANS: 'amount',
  VALU_OWND_FOLWNG_TRANS: 'amount',
  DIRECT_INDIRECT_OWNERSHIP: 'code',
  NATURE_OF_OWNERSHIP: 'prose',
} as const
const TRADED = {
  ...HELD,
  TRANS_DATE: 'date',
  DEEMED_EXECUTION_DATE: 'date',
  TRANS_CODE: 'code',
  EQUITY_SWAP_INVOLVED: 'code',
  TRANS_TIMELINESS: 'code',
  TRANS_SHARES: 'amount',
  TRANS_PRICEPERSHARE: 'amount',
  TRANS_ACQUIRED_DISP_CD: 'code',
} as const
const OPTION = {
  CONV_EXERCISE_PRICE: 'amount',
  EXPIRATION_DATE: 'date',
  UNDLYNG_SEC_TITLE: 'prose',
  UNDLYNG_SEC_SHARES: 'amount',
  UNDLYNG_SEC_VALUE: 'amount',
} as const

/** `EXCERCISE_DATE` is the SEC's spelling; the readme and the files differ in the name of the swap's footnotes. */
export const CONTENT = {
  SUBMISSION: {
    PERIOD_OF_REPORT: 'date',
    DATE_OF_ORIG_SUB: 'date',
    NO_SECURITIES_OWNED: 'code',
    NOT_SUBJECT_SEC16: 'code',
    ISSUERNAME: 'prose',
    ISSUERTRADINGSYMBOL: 'prose',
    REMARKS: 'prose',
    AFF10B5ONE: 'code',
  },
  REPORTINGOWNER: {
    RPTOWNERCIK: 'code',
    RPTOWNERNAME: 'prose',
    RPTOWNER_RELATIONSHIP: 'code',
    RPTOWNER_TITLE: 'prose',
    RPTOWNER_TXT: 'prose',
  },
  NONDERIV_TRANS: { NONDERIV_TRANS_SK: 'code', ...noted(TRADED), EQUITY_SWAP_TRANS_CD_FN: 'note' },
  NONDERIV_HOLDING: noted(HELD),
  DERIV_TRANS: {
    ...noted({ ...TRADED, ...OPTION, TRANS_TOTAL_VALUE: 'amount', EXCERCISE_DATE: 'date' }),
    EQUITY_SWAP_TRANS_CD_FN: 'note',
  },
  DERIV_HOLDING: noted({ ...HELD, ...OPTION, EXERCISE_DATE: 'date' }),
  FOOTNOTES: { FOOTNOTE_ID: 'code', FOOTNOTE_TXT: 'prose' },
  OWNER_SIGNATURE: { OWNERSIGNATURENAME: 'prose', OWNERSIGNATUREDATE: 'date' },
} as const satisfies Record<string, Columns>

function noted(columns: Columns): Columns {
  const twins = Object.keys(columns).map((name): [string, ColumnKind] => [`${name}_FN`, 'note'])
  return { ...columns, ...Object.fromEntries(twins) }
}
