// The elements of an ownershipDocument that are read, over all schema versions (none, X0101 to X0609). Inside a
// section a field is identified by its name alone, in any group: names are unique there, and the tree of X0101 is
// looser than later ones. Everything else, addresses first, is ignored.

export interface KnownElement {
  role: 'section' | 'table' | 'group' | 'field' | 'value' | 'reference'
  name: string
  children: ReadonlyMap<string, KnownElement>
}

const REFERENCE: KnownElement = { role: 'reference', name: 'footnoteId', children: new Map() }
const IN_FIELD = byName([{ role: 'value', name: 'value', children: new Map() }, REFERENCE])

function byName(known: KnownElement[]): Map<string, KnownElement> {
  return new Map(known.map((each) => [each.name, each]))
}

function fields(...names: string[]): KnownElement[] {
  return names.map((name) => ({ role: 'field', name, children: IN_FIELD }))
}

/** Groups have the same children as their section. */
function section(name: string, own: KnownElement[], groups: string[] = []): KnownElement {
  const children = byName([...own, REFERENCE])
  for (const group of groups) children.set(group, { role: 'group', name: group, children })
  return { role: 'section', name, children }
}

function table(name: string, own: KnownElement[]): KnownElement {
  return { role: 'table', name, children: byName(own) }
}

function row(name: string): KnownElement {
  return section(
    name,
    fields(
      'securityTitle',
      'conversionOrExercisePrice',
      'transactionDate',
      'deemedExecutionDate',
      'transactionFormType',
      'transactionCode',
      'equitySwapInvolved',
      'transactionTimeliness',
      'transactionShares',
      'transactionTotalValue',
      'transactionPricePerShare',
      'transactionValue',
      'transactionAcquiredDisposedCode',
      'exerciseDate',
      'expirationDate',
      'underlyingSecurityTitle',
      'underlyingSecurityShares',
      'underlyingSecurityValue',
      'sharesOwnedFollowingTransaction',
      'valueOwnedFollowingTransaction',
      'directOrIndirectOwnership',
      'natureOfOwnership',
    ),
    ['transactionCoding', 'transactionAmounts', 'postTransactionAmounts', 'ownershipNature', 'underlyingSecurity'],
  )
}

const TABLE_1 = ['nonDerivativeTransaction', 'nonDerivativeHolding', 'nonDerivativeSecurity'].map(row)
const TABLE_2 = ['derivativeTransaction', 'derivativeHolding', 'derivativeSecurity'].map(row)

/** X0101 has its rows directly under the root, later versions inside the tables. */
export const ROOT: KnownElement = section('ownershipDocument', [
  ...fields(
    'schemaVersion',
    'documentType',
    'periodOfReport',
    'dateOfOriginalSubmission',
    'noSecuritiesOwned',
    'notSubjectToSection16',
    'aff10b5One',
    'remarks',
  ),
  section('issuer', fields('issuerCik', 'issuerName', 'issuerTradingSymbol', 'issuerForeignTradingSymbol')),
  section(
    'reportingOwner',
    fields(
      'rptOwnerCik',
      'rptOwnerName',
      'isDirector',
      'isOfficer',
      'isTenPercentOwner',
      'isOther',
      'officerTitle',
      'otherText',
    ),
    ['reportingOwnerId', 'reportingOwnerRelationship'],
  ),
  table('nonDerivativeTable', TABLE_1),
  ...TABLE_1,
  table('derivativeTable', TABLE_2),
  ...TABLE_2,
  table('footnotes', fields('footnote')),
  section('ownerSignature', fields('signatureName', 'signatureDate')),
])

/** Elements that must not be lost: a document with one in an unknown place is rejected. */
export const NEVER_IGNORED: ReadonlySet<string> = new Set([
  'ownershipDocument',
  'issuer',
  'reportingOwner',
  'nonDerivativeTable',
  'derivativeTable',
  ...TABLE_1.map((each) => each.name),
  ...TABLE_2.map((each) => each.name),
])
