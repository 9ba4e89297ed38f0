// Reads roles from a seller's relationship to the issuer, which is typed freely: `Officer`, `CEO, Chariman`, `Member of
// 10% Owner`, `Former Affiliate`, `See Remarks`.
import type { RelationshipRole } from './notice.ts'

const WORDS: [RelationshipRole, RegExp][] = [
  [
    'officer',
    new RegExp(
      String.raw`\b(?:officers?|ch(?:ief|eif)|president|vp|[es]vp|ceo|cfo|coo|cto|cio|cmo|cao|clo|cso|counsel|treasurer|` +
        String.raw`controller|(?:corporate |company )?secretary|managing director)\b|\bc\.[efo]\.o\b`,
    ),
  ],
  ['director', /(?<!\bmanaging )\bdirectors?\b|\bcha(?:ir|ri)(?:man|woman|person)?\b|\bboard\b/],
  ['tenPercent', /\b10 ?%|\b10 percent\b|\bten[ -]percent\b|\b10-percent\b/],
  ['former', /\bformer(?:ly)?\b|\bretired\b|\bex[- ](?!officio)|\bpast\b/],
]

/** Returns the roles that a text names, or only `other` if it names none. */
export function relationshipRoles(text: string): RelationshipRole[] {
  const words = text.toLowerCase().replace(/\s+/g, ' ')
  const roles = WORDS.filter(([, pattern]) => pattern.test(words)).map(([role]) => role)
  const isSomeone = roles.some((role) => role !== 'former')
  return isSomeone ? roles : [...roles, 'other']
}
