// Who is named around a sale: the seller of a notice, the trusts, companies and persons in its remarks, and the holders
// in the rows of Forms 4. One holder has a key in common wherever it is named.
import { holdingOf } from '../trades/holding.ts'
import { isEntity, MENTION, nameOf, wordsOf } from '../trades/holder-names.ts'
import type { FiledNotice } from './notice.ts'
import type { ReportedSale } from './reported-sale.ts'
import { entityKey, entityName, personKeys } from './seller-names.ts'

export interface NoticeNames {
  /** Keys of the seller's name. */
  seller: string[]
  /** Keys of trusts, companies and the like in the remarks, without issuer and brokers. */
  entities: string[]
  /** Keys of persons in the remarks. */
  persons: string[]
}

export function namesOf({ seller, remarks, issuer, lines }: FiledNotice): NoticeNames {
  const own = entityName(seller.name)
  const found = remarks === null ? [] : holdingOf({ directIndirect: 'I', nature: null }, [remarks]).holderNames
  const others = [issuer.name, ...new Set(lines.map(({ broker }) => broker ?? ''))].map((name) => nameOf(wordsOf(name)))
  const entities: string[] = []
  const persons: string[] = []
  for (const each of found) {
    const isMention = each.startsWith(MENTION)
    const name = isMention ? each.slice(MENTION.length) : each
    if (others.some((other) => other === name || other.startsWith(`${name} `))) continue
    if (!isMention || isEntity(name.split(' '))) entities.push(entityKey(name))
    else persons.push(...personKeys(name))
  }
  return { seller: own === null ? personKeys(seller.name) : [entityKey(own)], entities, persons }
}

/**
 * Returns keys of those whom a row of a Form 4 names: entities through which it is held, its owner if that is one, and
 * persons. Entities that are only spoken of have not sold.
 */
export function holdersOf({ holderNames, owners }: ReportedSale): string[] {
  const keys = new Set<string>()
  for (const name of holderNames) {
    const isMention = name.startsWith(MENTION)
    if (!isMention) keys.add(entityKey(name))
    for (const key of personKeys(isMention ? name.slice(MENTION.length) : name)) keys.add(key)
  }
  for (const { name } of owners) {
    const entity = entityName(name)
    if (entity !== null) keys.add(entityKey(entity))
  }
  return [...keys]
}
