// Finds the persons and entities that notices and Forms 4 name: the seller of a notice, trusts, companies and persons
// in its remarks, and the holders in the rows of Forms 4. All names of one holder share a key.
import { holdingOf } from '../trades/holding.ts'
import { MENTION, nameOf, TRUST_WORDS, wordsOf } from '../trades/holder-names.ts'
import type { FiledNotice } from './notice.ts'
import type { ReportedSale } from './reported-sale.ts'
import { entityKey, entityName, personKeys } from './seller-names.ts'

export interface NoticeNames {
  /** Keys of the seller's name. */
  seller: string[]
  /** Keys of those in the remarks who hold the shares: trusts, and companies that are said to. */
  holders: string[]
  /** Keys of everyone in the remarks, except the issuer and brokers. */
  mentioned: string[]
}

export function namesOf({ seller, remarks, issuer, lines }: FiledNotice): NoticeNames {
  const own = entityName(seller.name)
  const found = remarks === null ? [] : holdingOf({ directIndirect: 'I', nature: null }, [remarks]).holderNames
  const others = [issuer.name, ...new Set(lines.map(({ broker }) => broker ?? ''))].map((name) => nameOf(wordsOf(name)))
  const holders: string[] = []
  const mentioned: string[] = []
  for (const each of found) {
    const isMention = each.startsWith(MENTION)
    const name = isMention ? each.slice(MENTION.length) : each
    if (others.some((other) => other === name || other.startsWith(`${name} `))) continue
    mentioned.push(entityKey(name), ...personKeys(name))
    // A company that is only mentioned may be the one from which the shares were acquired; a trust is the one that
    // sells.
    if (!isMention || name.split(' ').some((word) => TRUST_WORDS.has(word))) holders.push(entityKey(name))
  }
  return { seller: own === null ? personKeys(seller.name) : [entityKey(own)], holders, mentioned }
}

/**
 * Returns keys of those whom a row of a Form 4 names: entities through which the shares are held, owners that are
 * entities, and persons. Entities that are only mentioned have not sold.
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
