// A Filing -> its text, as EDGAR lays it out: the ownership XML, the full submission, the .nc file.
import type {
  DerivativeRow,
  Filing,
  Footnote,
  NonDerivativeRow,
  ReportingOwner,
} from '../../../src/domain/filings/filing.ts'

export interface Dress {
  /** The ISSUER block before the owners', as until about 2016. */
  issuerFirst?: boolean
  /** Wrapped as privacy-enhanced mail, as in 2003. */
  pem?: boolean
  /** Powers of attorney that follow the form. */
  exhibits?: number
}

export function xmlOf(filing: Filing): string {
  return `<?xml version="1.0"?>\n${element(
    'ownershipDocument',
    lines([
      leaf('schemaVersion', filing.schemaVersion),
      leaf('documentType', filing.formType),
      leaf('periodOfReport', filing.periodRaw),
      leaf('dateOfOriginalSubmission', filing.dateOfOriginalSubmission),
      leaf('noSecuritiesOwned', bit(filing.noSecuritiesOwned)),
      leaf('notSubjectToSection16', bit(filing.notSubjectToSection16)),
      element(
        'issuer',
        lines([
          leaf('issuerCik', filing.issuer.cik),
          leaf('issuerName', filing.issuer.name),
          leaf('issuerTradingSymbol', filing.issuer.tickerRaw),
          leaf('issuerForeignTradingSymbol', filing.issuer.foreignTickerRaw),
        ]),
      ),
      ...filing.owners.map(owner),
      leaf('aff10b5One', bit(filing.aff10b5One)),
      element('nonDerivativeTable', lines(filing.nonDerivative.map(row))),
      element('derivativeTable', lines(filing.derivative.map(row))),
      element('footnotes', lines(filing.footnotes.map(footnote))),
      leaf('remarks', filing.remarks ?? ''),
      ...filing.signatures.map(({ name, date }) =>
        element('ownerSignature', lines([leaf('signatureName', name), leaf('signatureDate', date)])),
      ),
    ]),
  )}\n`
}

export function submissionOf(filing: Filing, dress: Dress = {}): string {
  const owners = filing.owners.map((each) => ownerBlock(filing, each))
  const parties = dress.issuerFirst ? [issuerBlock(filing), ...owners] : [...owners, issuerBlock(filing)]
  const { accession, header } = filing
  const exhibits = Array.from({ length: dress.exhibits ?? 0 }, (_, index) => exhibit(index + 2))
  const text = lines([
    `<SEC-DOCUMENT>${accession}.txt : ${header?.filedAsOf}`,
    `<SEC-HEADER>${accession}.hdr.sgml : ${header?.filedAsOf}`,
    line('<ACCEPTANCE-DATETIME>', header?.acceptedAt),
    `ACCESSION NUMBER:\t\t${accession}`,
    `CONFORMED SUBMISSION TYPE:\t${filing.formType}`,
    line('PUBLIC DOCUMENT COUNT:\t\t', header?.documentCount),
    line('FILED AS OF DATE:\t\t', header?.filedAsOf),
    '',
    ...parties,
    '</SEC-HEADER>',
    '<DOCUMENT>',
    `<TYPE>${filing.formType}`,
    '<SEQUENCE>1',
    '<FILENAME>form4.xml',
    '<TEXT>',
    '<XML>',
    xmlOf(filing).trim(),
    '</XML>',
    '</TEXT>',
    '</DOCUMENT>',
    ...exhibits,
    '</SEC-DOCUMENT>',
  ])
  return dress.pem
    ? `-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nProc-Type: 2001,MIC-CLEAR\n\n${text}\n` +
        '-----END PRIVACY-ENHANCED MESSAGE-----\n'
    : `${text}\n`
}

export function disseminationOf(filing: Filing): string {
  const { accession, header, issuer } = filing
  const owners = filing.owners.map(
    (each) =>
      `<REPORTING-OWNER>\n<OWNER-DATA>\n<CONFORMED-NAME>${plain(each.name)}\n` +
      `<CIK>${each.cik}\n<ASSIGNED-SIC>9999\n<ORGANIZATION-NAME>\n</OWNER-DATA>\n</REPORTING-OWNER>`,
  )
  return lines([
    '<SUBMISSION>',
    `<ACCESSION-NUMBER>${accession}`,
    `<TYPE>${filing.formType}`,
    line('<PUBLIC-DOCUMENT-COUNT>', header?.documentCount),
    line('<FILING-DATE>', header?.filedAsOf),
    ...owners,
    '<ISSUER>',
    '<COMPANY-DATA>',
    `<CONFORMED-NAME>${plain(issuer.name)}`,
    `<CIK>${issuer.cik}`,
    line('<ASSIGNED-SIC>', header?.sic),
    line('<ORGANIZATION-NAME>', header?.office),
    '</COMPANY-DATA>',
    '</ISSUER>',
    '<DOCUMENT>',
    `<TYPE>${filing.formType}`,
    '<SEQUENCE>1',
    '<FILENAME>form4.xml',
    '<TEXT>',
    '<XML>',
    xmlOf(filing).trim(),
    '</XML>',
    '</TEXT>',
    '</DOCUMENT>',
    '</SUBMISSION>',
  ])
}

function ownerBlock(filing: Filing, { cik, name }: ReportingOwner): string {
  return lines([
    'REPORTING-OWNER:\t',
    '',
    '\tOWNER DATA:\t',
    `\t\tCOMPANY CONFORMED NAME:\t\t\t${plain(name)}`,
    `\t\tCENTRAL INDEX KEY:\t\t\t${cik}`,
    '\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\tSOMEBODY ELSE [9999]',
    '\t\tORGANIZATION NAME:           \t99 Somewhere',
    '',
    '\tFILING VALUES:',
    `\t\tFORM TYPE:\t\t${filing.formType}`,
    '',
  ])
}

function issuerBlock({ issuer, header }: Filing): string {
  return lines([
    'ISSUER:\t\t',
    '',
    '\tCOMPANY DATA:\t',
    `\t\tCOMPANY CONFORMED NAME:\t\t\t${plain(issuer.name)}`,
    `\t\tCENTRAL INDEX KEY:\t\t\t${issuer.cik}`,
    line('\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\t', header?.sic),
    line('\t\tORGANIZATION NAME:           \t', header?.office),
    '\t\tFISCAL YEAR END:\t\t\t1231',
    '',
  ])
}

function exhibit(sequence: number): string {
  return lines([
    '<DOCUMENT>',
    '<TYPE>EX-24',
    `<SEQUENCE>${sequence}`,
    `<FILENAME>poa${sequence}.txt`,
    '<TEXT>',
    'POWER OF ATTORNEY & so on',
    '</TEXT>',
    '</DOCUMENT>',
  ])
}

function owner(each: ReportingOwner): string {
  return element(
    'reportingOwner',
    lines([
      element('reportingOwnerId', lines([leaf('rptOwnerCik', each.cik), leaf('rptOwnerName', each.name)])),
      element(
        'reportingOwnerAddress',
        lines([leaf('rptOwnerStreet1', '1 EXAMPLE STREET'), leaf('rptOwnerCity', 'SAMPLETON')]),
      ),
      element(
        'reportingOwnerRelationship',
        lines([
          leaf('isDirector', bit(each.isDirector)),
          leaf('isOfficer', bit(each.isOfficer)),
          leaf('isTenPercentOwner', bit(each.isTenPercentOwner)),
          leaf('isOther', bit(each.isOther)),
          leaf('officerTitle', each.officerTitle),
          leaf('otherText', each.otherText),
        ]),
      ),
    ]),
  )
}

function row(each: NonDerivativeRow | DerivativeRow): string {
  const option = each.table === 'derivative' ? each : null
  const notes = option?.derivativeFootnotes
  const { coding, price, nature } = each.footnotes
  const hung = [coding, price, nature, ...Object.values(notes ?? {})].flat()
  const onTitle = each.footnotes.all.filter((id) => !hung.includes(id))
  return element(
    `${each.table}${each.kind === 'transaction' ? 'Transaction' : 'Holding'}`,
    lines([
      wrapped('securityTitle', each.securityTitle, onTitle),
      wrapped('conversionOrExercisePrice', option?.conversionPrice, notes?.conversionPrice),
      wrapped('transactionDate', each.dateRaw),
      wrapped('deemedExecutionDate', each.deemedExecutionDate),
      element(
        'transactionCoding',
        lines([
          leaf('transactionFormType', each.formType),
          leaf('transactionCode', each.code),
          leaf('equitySwapInvolved', bit(each.equitySwap)),
          ...each.footnotes.coding.map(reference),
        ]),
      ),
      wrapped('transactionTimeliness', each.timeliness),
      element(
        'transactionAmounts',
        lines([
          wrapped('transactionShares', each.shares),
          wrapped('transactionTotalValue', option?.totalValue),
          wrapped('transactionPricePerShare', each.price, each.footnotes.price),
          wrapped('transactionAcquiredDisposedCode', each.acquiredDisposed),
        ]),
      ),
      wrapped('exerciseDate', option?.exerciseDate, notes?.exerciseDate),
      wrapped('expirationDate', option?.expirationDate, notes?.expirationDate),
      element(
        'underlyingSecurity',
        lines([
          wrapped('underlyingSecurityTitle', option?.underlyingTitle),
          wrapped('underlyingSecurityShares', option?.underlyingShares),
          wrapped('underlyingSecurityValue', option?.underlyingValue),
        ]),
      ),
      element(
        'postTransactionAmounts',
        lines([
          wrapped('sharesOwnedFollowingTransaction', each.sharesAfter),
          wrapped('valueOwnedFollowingTransaction', each.valueAfter),
        ]),
      ),
      element(
        'ownershipNature',
        lines([
          wrapped('directOrIndirectOwnership', each.directIndirect),
          wrapped('natureOfOwnership', each.nature, each.footnotes.nature),
        ]),
      ),
    ]),
  )
}

function wrapped(name: string, value: string | null | undefined, footnotes: string[] = []): string | null {
  if (value == null && footnotes.length === 0) return null
  return element(name, lines([leaf('value', value ?? null), ...footnotes.map(reference)]))
}

function footnote({ id, text }: Footnote): string {
  return `<footnote id="${id}">${escape(text)}</footnote>`
}

function reference(id: string): string {
  return `<footnoteId id="${id}"/>`
}

function element(name: string, content: string): string {
  return `<${name}>\n${content.replace(/^(?=<)/gm, '    ')}\n</${name}>`
}

function leaf(name: string, text: string | null): string | null {
  return text === null ? null : `<${name}>${escape(text)}</${name}>`
}

function line(label: string, value: string | number | null | undefined): string | null {
  return value == null ? null : `${label}${value}`
}

function lines(parts: (string | null)[]): string {
  return parts.filter((part) => part !== null).join('\n')
}

function bit(value: boolean | null): string | null {
  return value === null ? null : value ? '1' : '0'
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** The SGML header knows no escapes. */
function plain(text: string): string {
  return text.replace(/[<>\n\r]/g, ' ')
}
