// Groups notices that several persons filed for the same shares, such as three trustees, or an insider and a trust.
import { daysBetween } from '../shared/calendar.ts'
import { comparableDecimal } from '../shared/decimal.ts'
import { Groups } from '../shared/groups.ts'
import { byAcceptance } from '../shared/order.ts'
import { classKey } from './class-key.ts'
import { namesOf, type NoticeNames } from './named-holders.ts'
import type { FiledNotice } from './notice.ts'

/** A notice, or several for the same shares; the oldest first. */
export interface NoticeGroup {
  notices: { notice: FiledNotice; names: NoticeNames }[]
}

type Member = NoticeGroup['notices'][number]

const DAYS_APART = 2
const SAME_SHARES = /\bsame\b[^.;]{0,60}\b(?:shares?|securities|stock|units|transactions?|sales?)\b/i

/**
 * Groups notices of one issuer with equal classes, sale dates, units and values, filed within two days by different
 * sellers, if the remarks of one name the other, speak of the same shares, or name a holder whom those of the other
 * name, too. Returns the groups in the order of their oldest.
 */
export function groupNotices(notices: readonly FiledNotice[]): NoticeGroup[] {
  const members = [...notices].sort(byAcceptance).map((notice) => ({ notice, names: namesOf(notice) }))
  const groups = new Groups<Member>((a, b) => byAcceptance(a.notice, b.notice))
  for (const alike of Map.groupBy(members, ({ notice }) => offerKey(notice)).values()) {
    for (const near of runsOf(alike)) unite(near, groups)
  }
  return [...Map.groupBy(members, (member) => groups.firstOf(member)).values()].map((notices) => ({ notices }))
}

function offerKey({ lines, accession }: FiledNotice): string {
  if (lines.some(({ units, saleDate, marketValue }) => !units || saleDate === null || marketValue === null)) {
    return accession
  }
  return lines
    .map((line) =>
      [classKey(line.classTitle), line.saleDate, line.units, comparableDecimal(line.marketValue)].join(' '),
    )
    .sort()
    .join('\n')
}

/** Runs of notices of different sellers, each filed within two days of the first of its run. */
function runsOf(members: readonly Member[]): Member[][] {
  const runs: Member[][] = []
  let current: Member[][] = []
  let first: Member | undefined
  let counts = new Map<string, number>()
  for (const member of members) {
    const { filedDay, seller } = member.notice
    if (!first || daysBetween(first.notice.filedDay, filedDay) > DAYS_APART) {
      runs.push(...current)
      first = member
      current = []
      counts = new Map()
    }
    // A seller's second order is not for the shares of the first.
    const nth = counts.get(seller.cik) ?? 0
    counts.set(seller.cik, nth + 1)
    ;(current[nth] ??= []).push(member)
  }
  return [...runs, ...current]
}

function unite(members: readonly Member[], groups: Groups<Member>): void {
  const [first, ...others] = members
  if (others.length === 0) return
  if (members.some(({ notice }) => SAME_SHARES.test(notice.remarks ?? ''))) {
    for (const other of others) groups.unite(first!, other)
    return
  }
  const sellers = new Map<string, Member>()
  for (const member of members) for (const key of member.names.seller) sellers.set(key, member)
  const byHolder = new Map<string, Member>()
  for (const member of members) {
    for (const key of member.names.holders) {
      const known = byHolder.get(key)
      if (known) groups.unite(known, member)
      else byHolder.set(key, member)
    }
    for (const key of member.names.mentioned) {
      const named = sellers.get(key)
      if (named) groups.unite(named, member)
    }
  }
}
