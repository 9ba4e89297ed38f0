// The columns of the SEC's data sets that are stored for answers about single filings, by file. Addresses are left out.

/**
 * How columns are stored: `code`, `note` as filed, `prose` without quotes, `date` like 2024-07-31, `amount` in digits.
 */
export type ColumnKind = 'code' | 'note' | 'prose' | 'date' | 'amount'
type Columns = Readonly<Record<string, ColumnKind>>

const HOLDING_COLUMNS = {
  SECURITY_TITLE: 'prose',
  TRANS_FORM_TYPE: 'code',
  SHRS_OWND_FOLWNG_TRANS: 'amount',
  VALU_OWND_FOLWNG_TRANS: 'amount',
  DIRECT_INDIRECT_OWNERSHIP: 'code',
  NATURE_OF_OWNERSHIP: 'prose',
} as const
const TRANSACTION_COLUMNS = {
  ...HOLDING_COLUMNS,
  TRANS_DATE: 'date',
  DEEMED_EXECUTION_DATE: 'date',
  TRANS_CODE: 'code',
  EQUITY_SWAP_INVOLVED: 'code',
  TRANS_TIMELINESS: 'code',
  TRANS_SHARES: 'amount',
  TRANS_PRICEPERSHARE: 'amount',
  TRANS_ACQUIRED_DISP_CD: 'code',
} as const
const OPTION_COLUMNS = {
  CONV_EXERCISE_PRICE: 'amount',
  EXPIRATION_DATE: 'date',
  UNDLYNG_SEC_TITLE: 'prose',
  UNDLYNG_SEC_SHARES: 'amount',
  UNDLYNG_SEC_VALUE: 'amount',
} as const

/** `EXCERCISE_DATE` is the SEC's spelling. The column of the swap's footnotes has another name in the SEC's readme. */
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
  NONDERIV_TRANS: { NONDERIV_TRANS_SK: 'code', ...withFootnotes(TRANSACTION_COLUMNS), EQUITY_SWAP_TRANS_CD_FN: 'note' },
  NONDERIV_HOLDING: withFootnotes(HOLDING_COLUMNS),
  DERIV_TRANS: {
    ...withFootnotes({
      ...TRANSACTION_COLUMNS,
      ...OPTION_COLUMNS,
      TRANS_TOTAL_VALUE: 'amount',
      EXCERCISE_DATE: 'date',
    }),
    EQUITY_SWAP_TRANS_CD_FN: 'note',
  },
  DERIV_HOLDING: withFootnotes({ ...HOLDING_COLUMNS, ...OPTION_COLUMNS, EXERCISE_DATE: 'date' }),
  FOOTNOTES: { FOOTNOTE_ID: 'code', FOOTNOTE_TXT: 'prose' },
  OWNER_SIGNATURE: { OWNERSIGNATURENAME: 'prose', OWNERSIGNATUREDATE: 'date' },
} as const satisfies Record<string, Columns>

/** Adds to each column the one with the footnotes of its cells. */
function withFootnotes(columns: Columns): Columns {
  const twins = Object.keys(columns).map((name): [string, ColumnKind] => [`${name}_FN`, 'note'])
  return { ...columns, ...Object.fromEntries(twins) }
}
