// Roles of insiders in a word or two, for sentences: `CFO Jane Doe`. Titles are free text, so an office that is not
// known for sure becomes `officer`.
import { wordSet } from '../shared/word-set.ts'

interface RoleHints {
  /** The owner who acts for the filing is an officer. */
  officer: boolean
  /** Is CEO, by ceo-cfo-title.ts. */
  ceo: boolean
  /** Is CEO or CFO. */
  isCeoOrCfo: boolean
}

/**
 * Returns the role. `title`: all roles that apply, joined with `, `, as transactions show it. Empty if none of them is
 * known.
 */
export function spokenRole(title: string, { officer, ceo, isCeoOrCfo }: RoleHints): string {
  if (isCeoOrCfo) return `${standIn(title)}${ceo ? 'CEO' : 'CFO'}`
  const parts = title
    .split(/\s*(?:[,;/&]|\band\b|\s-\s)\s*/i)
    .map((part) => part.trim().toLowerCase())
    .filter(Boolean)
  if (officer) return officeOf(parts)
  return parts.includes('director') ? 'director' : parts.includes('10% owner') ? '10% owner' : ''
}

/** Returns `interim `, `acting ` or `co-` if the title says so of the office. */
function standIn(title: string): string {
  const [, word] = /\b(interim|acting|co)[\s-]+(?:ceo|cfo|chief|principal|president)/i.exec(title) ?? []
  if (word === undefined) return ''
  return word.toLowerCase() === 'co' ? 'co-' : `${word.toLowerCase()} `
}

/** Offices that have a name of their own, the weightiest first. */
const OFFICES: readonly [pattern: RegExp, role: string][] = [
  [/^(?:chief operating officer|coo)$/, 'COO'],
  [/^executive chair(?:man|woman|person)?(?: of(?: the)? board)?$/, 'executive chair'],
  [/^vice (?:executive )?chair(?:man|woman|person)?(?: of(?: the)? board)?$/, 'vice chair'],
  [/^(?:chair(?:man|woman|person)?(?: of(?: the)? board)?|cob)$/, 'chair'],
  [/^president$/, 'president'],
  [/^co-?founder$/, 'co-founder'],
  [/^founder$/, 'founder'],
  [/^general counsel$/, 'general counsel'],
]
const LESSER_OFFICES: readonly [pattern: RegExp, role: string][] = [
  [/^(?:controller|comptroller)$/, 'controller'],
  [/^treasurer$/, 'treasurer'],
  [/^(?:executive|exec\.?) (?:vice president|vp)$|^evp$/, 'executive vice president'],
  [/^(?:senior|sr\.?) (?:vice president|vp)$|^svp$/, 'senior vice president'],
  [/^(?:vice president|vp)$/, 'vice president'],
  [/^(?:corporate )?secretary$/, 'secretary'],
]
/** Next to offices other than these, `president` is that of a department. */
const SIDE_BY_SIDE = new RegExp(
  '^(?:director|10% owner|chief .*|c[a-z]{1,3}o|co-?founder|founder|chair.*' +
    '|executive chair.*|secretary|treasurer)$',
)

const CHIEF_OF = wordSet(`
  accounting administrative banking business commercial communications compliance corporate credit customer data design
  development digital diversity growth information innovation investment legal lending marketing medical merchandising
  nursing people procurement product production quality research revenue risk sales science scientific security strategy
  sustainability talent tax technical technology transformation`)

function officeOf(parts: readonly string[]): string {
  for (const [pattern, role] of OFFICES) {
    const at = parts.findIndex((part) => pattern.test(part))
    if (at < 0) continue
    if (role === 'president' && parts.some((part, index) => index !== at && !SIDE_BY_SIDE.test(part))) continue
    return role
  }
  for (const part of parts) {
    const [, of] = /^chief ([a-z]+) officer$/.exec(part) ?? []
    if (of && CHIEF_OF.has(of)) return part
  }
  return LESSER_OFFICES.find(([pattern]) => parts.some((part) => pattern.test(part)))?.[1] ?? 'officer'
}
