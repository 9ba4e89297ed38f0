// The owners who report under Section 16 for an issuer, and until when they do.
import { append } from '../shared/append.ts'
import type { Cik, DateText } from '../shared/identifiers.ts'
import { lowerBound } from '../shared/lower-bound.ts'
import { compareText } from '../shared/order.ts'
import type { FiledNotice } from './notice.ts'
import type { SalesBySeller } from './sales-by-seller.ts'
import { OwnerNames } from './seller-names.ts'

/**
 * A Form 3, 4 or 5 of an owner of the issuer. Reports between two reports of an owner with the same name and the same
 * `left` may be missing.
 */
export interface OwnerReport {
  cik: Cik
  name: string
  /** Acceptance, in seconds since 1970. */
  filedAt: number
  /** The period of report, else the day of filing. */
  day: DateText
  /** Whether it says that the owner is no longer subject to Section 16. */
  left: boolean
}

export class ReportingOwners {
  readonly #reports = new Map<Cik, OwnerReport[]>()
  readonly #ofSales = new Set<Cik>()
  readonly #names = new OwnerNames()

  constructor(reports: readonly OwnerReport[], { sales }: SalesBySeller) {
    for (const report of [...reports].sort(inOrder)) {
      append(this.#reports, report.cik, report)
      this.#names.add(report.cik, report.name)
    }
    for (const { sale } of sales) {
      for (const { cik, name } of sale.owners) {
        this.#ofSales.add(cik)
        this.#names.add(cik, name)
      }
    }
  }

  has(cik: Cik): boolean {
    return this.#reports.has(cik) || this.#ofSales.has(cik)
  }

  /** Returns the owner of this name; null if none or several fit. */
  named(seller: string): Cik | null {
    return this.#names.only(seller)
  }

  /** Returns whether the seller has to report sales of this day: is an owner who had not left by then. */
  isExpected({ seller }: FiledNotice, saleDay: DateText): boolean {
    const { relationships } = seller
    if (relationships.length > 0 && relationships.every(({ roles }) => roles.includes('former'))) return false
    const cik = this.has(seller.cik) ? seller.cik : this.named(seller.name)
    return cik !== null && !this.#hasLeft(cik, saleDay)
  }

  #hasLeft(cik: Cik, saleDay: DateText): boolean {
    const reports = this.#reports.get(cik) ?? []
    const later = lowerBound(reports, ({ day }) => day < saleDay)
    return reports[later - 1]?.left ?? false
  }
}

/** Orders by day, acceptance, and then reports that the owner left last. */
function inOrder(a: OwnerReport, b: OwnerReport): number {
  return compareText(a.day, b.day) || a.filedAt - b.filedAt || Number(a.left) - Number(b.left)
}
