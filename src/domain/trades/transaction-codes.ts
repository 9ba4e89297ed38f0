// Transaction codes of the SEC and the type each one has here. Only P and S are trades in the market, and only if the
// acquired/disposed code agrees: a purchase marked D is a filer's mistake that can't be told apart from a sale.
export const TRANSACTION_TYPES = [
  'buy',
  'sell',
  'award',
  'exercise',
  'conversion',
  'tax_withholding',
  'gift',
  'issuer_disposition',
  'tender',
  'inheritance',
  'small_acquisition',
  'expiration',
  'plan_transaction',
  'voting_trust',
  'swap',
  'other',
] as const
export type TransactionType = (typeof TRANSACTION_TYPES)[number]

interface CodeMeaning {
  meaning: string
  type: TransactionType
  /** The acquired/disposed code it must have; absent if either will do. */
  direction?: 'A' | 'D'
}

/** Complete, from the EDGAR ownership specification. V is a box on paper, not a code. */
export const TRANSACTION_CODES: Readonly<Record<string, CodeMeaning>> = {
  P: { meaning: 'open-market or private purchase', type: 'buy', direction: 'A' },
  S: { meaning: 'open-market or private sale', type: 'sell', direction: 'D' },
  A: { meaning: 'grant, award or other exempt acquisition from the issuer, Rule 16b-3(d)', type: 'award' },
  D: { meaning: 'disposition back to the issuer, Rule 16b-3(e)', type: 'issuer_disposition' },
  F: { meaning: 'shares withheld or delivered for the exercise price or tax', type: 'tax_withholding' },
  I: { meaning: 'discretionary plan transaction, Rule 16b-3(f)', type: 'plan_transaction' },
  M: { meaning: 'exercise or conversion of an exempt derivative, Rule 16b-3', type: 'exercise' },
  C: { meaning: 'conversion of a derivative', type: 'conversion' },
  E: { meaning: 'expiration of a short derivative position', type: 'expiration' },
  H: { meaning: 'expiration or cancellation of a long derivative position with value received', type: 'expiration' },
  O: { meaning: 'exercise of an out-of-the-money derivative', type: 'exercise' },
  X: { meaning: 'exercise of an in-the-money or at-the-money derivative', type: 'exercise' },
  G: { meaning: 'bona fide gift', type: 'gift' },
  L: { meaning: 'small acquisition, Rule 16a-6', type: 'small_acquisition' },
  W: { meaning: 'acquisition or disposition by will or the laws of descent', type: 'inheritance' },
  Z: { meaning: 'deposit into or withdrawal from a voting trust', type: 'voting_trust' },
  J: { meaning: 'other, described in a footnote', type: 'other' },
  U: { meaning: 'tender of shares in a change of control', type: 'tender' },
  K: { meaning: 'equity swap or similar instrument', type: 'swap' },
}

/** Returns `other` for J, for an unknown or absent code, and for a P not acquired or an S not disposed. */
export function transactionType(code: string | null, acquiredDisposed: 'A' | 'D' | null): TransactionType {
  const entry = Object.hasOwn(TRANSACTION_CODES, code ?? '') ? TRANSACTION_CODES[code ?? ''] : undefined
  if (!entry || (entry.direction && entry.direction !== acquiredDisposed)) return 'other'
  return entry.type
}
