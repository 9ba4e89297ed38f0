// Notices of our own invention for tests: a compact description -> the Notice that it must be read as, and its text.
// Everything has a default, so a test says only what it is about.
import { filedNotice } from '../../../src/domain/notices/filed-notice.ts'
import type {
  FiledNotice,
  Notice,
  NoticeAcquisition,
  NoticeIssuer,
  NoticeLine,
  NoticeSeller,
  PastSale,
  Relationship,
} from '../../../src/domain/notices/notice.ts'
import { relationshipRoles } from '../../../src/domain/notices/relationship-roles.ts'
import type { DocumentKind, SubmissionHeader } from '../../../src/domain/filings/filing.ts'
import { noticeSubmissionOf, noticeXmlOf, type NoticeDress } from './notice-text.ts'

export interface NoticeSpec
  extends
    Partial<Pick<SubmissionHeader, 'acceptedAt' | 'filedAsOf' | 'sic' | 'office'>>,
    Partial<Omit<Notice, 'kind' | 'issuer' | 'seller' | 'lines' | 'acquisitions' | 'pastSales' | 'header'>> {
  issuer?: Partial<NoticeIssuer>
  seller?: { cik?: string; name?: string; relationships?: string[] }
  /** By default one of 10,000 units of common stock. */
  lines?: Partial<NoticeLine>[]
  /** By default one. */
  acquisitions?: Partial<NoticeAcquisition>[]
  pastSales?: Partial<PastSale>[]
  dress?: NoticeDress
}

/** The bare edgarSubmission. */
export function noticeXml(spec: NoticeSpec = {}): string {
  return noticeXmlOf(noticeOf(spec, 'bare'), spec.dress)
}

/** The full .txt with its SGML header. */
export function noticeSubmission(spec: NoticeSpec = {}): string {
  return noticeSubmissionOf(noticeOf(spec), spec.dress)
}

/** What a reader must make of the text of the same description. */
export function noticeOf(spec: NoticeSpec = {}, kind: DocumentKind = 'submission'): Notice {
  const acceptedAt = spec.acceptedAt === undefined ? '20250602163005' : spec.acceptedAt
  const filedAsOf = spec.filedAsOf ?? acceptedAt?.slice(0, 8) ?? '20250602'
  const day = `${filedAsOf.slice(0, 4)}-${filedAsOf.slice(4, 6)}-${filedAsOf.slice(6)}`
  return {
    accession: spec.accession ?? '0001999201-25-000001',
    kind,
    form: spec.form ?? '144',
    previousAccession: spec.previousAccession ?? null,
    issuer: { cik: '0001999001', name: 'Example Widgets Inc', fileNumber: '001-99999', ...spec.issuer },
    seller: sellerOf(spec.seller),
    lines: (spec.lines ?? [{}]).map((line) => ({
      classTitle: 'Common',
      units: 10_000,
      marketValue: '250000.00',
      unitsOutstanding: 90_000_000,
      saleDate: day,
      exchange: 'NYSE',
      broker: 'Invented Brokerage LLC',
      ...line,
    })),
    acquisitions: (spec.acquisitions ?? [{}]).map((each) => ({
      classTitle: 'Common',
      acquiredDate: '2024-03-01',
      nature: 'Restricted Stock Vesting',
      from: 'Issuer',
      gift: false,
      donorAcquiredDate: null,
      units: 25_000,
      paymentDate: '2024-03-01',
      payment: 'Compensation',
      ...each,
    })),
    pastSales: (spec.pastSales ?? []).map((each) => ({
      seller: 'Ada Sample',
      classTitle: 'Common',
      saleDate: '2025-04-01',
      units: 500,
      grossProceeds: '12500.00',
      ...each,
    })),
    nothingSold: spec.nothingSold === undefined ? (spec.pastSales ?? []).length === 0 : spec.nothingSold,
    remarks: spec.remarks ?? null,
    noticeDate: spec.noticeDate === undefined ? day : spec.noticeDate,
    planAdoptionDates: spec.planAdoptionDates ?? [],
    unreadable: spec.unreadable ?? [],
    header:
      kind === 'bare'
        ? null
        : {
            acceptedAt,
            filedAsOf,
            documentCount: 1,
            sic: spec.sic === undefined ? 'SEMICONDUCTORS & RELATED DEVICES [3674]' : spec.sic,
            office: spec.office === undefined ? '04 Manufacturing' : spec.office,
          },
  }
}

function sellerOf({ cik, name, relationships }: NonNullable<NoticeSpec['seller']> = {}): NoticeSeller {
  return {
    cik: cik ?? '0001999101',
    name: name ?? 'SAMPLE ADA',
    relationships: (relationships ?? ['Officer']).map((text): Relationship => ({
      text,
      roles: relationshipRoles(text),
    })),
  }
}

/** The notice with its time. */
export function filed(spec: NoticeSpec = {}): FiledNotice {
  return filedNotice(noticeOf(spec), 4e9)
}
