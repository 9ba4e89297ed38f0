// The roles of an owner: the title shown, the owner who acts for a joint filing, and who is CEO or CFO.
import { oncePerObject } from '../shared/once-per-object.ts'
import { isCeo, isCfo } from './ceo-cfo-title.ts'
import type { Filing, Footnote, ReportingOwner } from './filing.ts'

/** The texts that titles are read from: titles of 30 characters at most often point to the remarks or a footnote. */
export interface TitleSource {
  remarks: string | null
  footnotes: Footnote[]
}

/** A remark longer than this is an explanation, not a title. */
const TITLE_LENGTH = 100
/** How many characters of a line in the remarks or a footnote are searched for a title. */
const LINE_LENGTH = 300

/**
 * Joins all roles that apply with `, `: officer title, `Director`, `10% Owner`, the "other" text; `` if no box is
 * ticked.
 */
export function ownerTitle(owner: ReportingOwner, source: TitleSource): string {
  const roles = [
    officerTitle(owner, source),
    owner.isDirector ? 'Director' : null,
    owner.isTenPercentOwner ? '10% Owner' : null,
    owner.isOther ? oneLine(owner.otherText ?? '') : null,
  ].filter((role): role is string => role !== null && role !== '')
  // An officer title of plain `Director` beside the director box is one role.
  return [...new Map(roles.toReversed().map((role) => [role.toLowerCase(), role])).values()].toReversed().join(', ')
}

/**
 * Returns the officer's title, following pointers to the remarks; `Officer` if none is found; null for a non-officer.
 */
export function officerTitle(owner: ReportingOwner, source: TitleSource): string | null {
  if (!owner.isOfficer) return null
  // A line of a data set may hold megabytes; EDGAR takes 30 characters.
  const title = oneLine((owner.officerTitle ?? '').slice(0, LINE_LENGTH))
  if (title === '') return 'Officer'
  return isPointer(title) ? (titleElsewhere(title, source) ?? 'Officer') : title
}

/**
 * Returns the owner who acts for a filing: the first officer, else the first director, else the first. Undefined only
 * without owners.
 */
export function actingOwner(owners: readonly ReportingOwner[]): ReportingOwner | undefined {
  return owners.find((owner) => owner.isOfficer) ?? owners.find((owner) => owner.isDirector) ?? owners[0]
}

/** Recognizes the two offices that weigh most, by title; both false for a non-officer. */
export function chiefOffices(
  owner: ReportingOwner,
  filing: TitleSource & Pick<Filing, 'issuer'>,
): { ceo: boolean; cfo: boolean } {
  const title = officerTitle(owner, filing)
  if (title === null) return { ceo: false, cfo: false }
  return { ceo: isCeo(title, filing.issuer.name), cfo: isCfo(title, filing.issuer.name) }
}

/**
 * Recognizes titles that only say where to look: `See Remarks`, `(See Footnote 2)`, `Officer - See Remarks Below`, `*`,
 * `(1)`. A `Section 16 Officer` is one under section 16 of the Exchange Act, which is no section of the form.
 */
function isPointer(title: string): boolean {
  const words = title
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => !['', 'officer', 'please'].includes(word))
  if (words.length === 0) return !/officer/i.test(title)
  const pointing = /^(see|refer|to|per|the|attached|section|below|above|of|no|ex|exhibit|and|\d+)$/
  const place = new RegExp(
    '^(remarks?|comments?|footnotes?|fns?|notes?|explan\\w*|resp\\w*|below|above|attached|ex|exhibit|(?:fn?)?\\d+)$',
  )
  const isPlace = (word: string, at: number): boolean =>
    place.test(word) && !(word === '16' && words[at - 1] === 'section')
  return words.every((word) => pointing.test(word) || place.test(word)) && words.some(isPlace)
}

/**
 * Finds the title in the footnote pointed to, after `Title:` or as its whole text; else after `Title:` in the remarks
 * or any footnote; else in the first line of the footnote or of the remarks.
 */
function titleElsewhere(pointer: string, source: TitleSource): string | null {
  const number = footnoteNumber(pointer)
  const footnote = number === null ? null : (source.footnotes.find((note) => note.id === `F${number}`)?.text ?? null)
  const labelled = labelledTitle(footnote) || (footnote && wholeTitle(footnote)) || labelledTitleOf(source)
  if (labelled) return labelled
  const first = bareTitle(firstLine((footnote ?? source.remarks ?? '').trim()))
  return first !== '' && first.length <= TITLE_LENGTH ? first : null
}

/** Returns the number in `See Footnote (2)`, `FN 2`, `F2`, `(2)`; null in `See Remarks`, `See Exhibit 99.1`. */
function footnoteNumber(pointer: string): string | null {
  const named = /(?:note|fn)s?\D*(\d+)/i.exec(pointer)?.[1]
  if (named !== undefined) return named
  return /^[^a-z\d]*f?(\d+)\b/i.exec(pointer.replace(/\b(?:officer|please|see|refer|to)\b/gi, ''))?.[1] ?? null
}

/** Returns a text that is short enough to be a title; `` for any other. */
function wholeTitle(text: string): string {
  const line = text.length <= LINE_LENGTH ? oneLine(text) : ''
  return line.length <= TITLE_LENGTH ? bareTitle(line) : ''
}

/**
 * Finds the first labelled title in the remarks and all footnotes, once, however many owners of a filing point there.
 */
const labelledTitleOf = oncePerObject((source: TitleSource): string => {
  let title = labelledTitle(source.remarks)
  for (const { text } of source.footnotes) title ||= labelledTitle(text)
  return title
})

/** Returns `` if there is none. */
function labelledTitle(text: string | null): string {
  const labelled = text === null ? undefined : (LABELLED.exec(text) ?? TITLE_IS.exec(text))?.[1]
  return labelled === undefined ? '' : bareTitle(firstSentence(labelled))
}

const LABELLED = new RegExp(`\\btitle(?:\\s+is)?\\s*:\\s*([^\\r\\n]{1,${LINE_LENGTH}})`, 'i')
/** Without a colon only before a capital letter: not `the title is incorrect`. */
const TITLE_IS = new RegExp(`\\b[Tt]itle is\\s+(\\p{Lu}[^\\r\\n]{0,${LINE_LENGTH}})`, 'u')

function firstLine(text: string): string {
  return text.slice(0, LINE_LENGTH).split(/\r?\n/, 1)[0]!
}

/** Is followed by the title, as in `Exhibit 24 - Power of Attorney; Chief Owl`. */
const EXHIBIT_BEFORE = /^\W{0,3}(?:exhibits?\b|ex[.\s-]{0,3}\d)[^;]*;/i
/** Says of a form that it is late, or of an office that it ended. */
const NO_TITLE = /\bfiled late\b|\blate filing\b|\bno longer\b|\bceased\b|\bresigned\b|\bstepped down\b/i
const UNTIL = /\buntil\b/i
const WAS = /\b(?:was|were|had been|served|held)\b/i

/**
 * Removes the marks around a title and the note on exhibits or powers of attorney that often shares its line; returns
 * `` if the line is such a note (`Exhibit 24 - Power of Attorney`, `J. Doe is signing pursuant to a power of attorney`,
 * `doepoa.txt`). A run of marks is tried from its start alone: from each mark on, a long one would take quadratic time.
 */
function bareTitle(line: string): string {
  const title = oneLine(line)
    .replace(EXHIBIT_BEFORE, '')
    .trimStart()
    .replace(/(?<![\s.,;:*(–—-])[\s.,;:*(–—-]*\b(?:exhibits?\b|ex[.\s-]*\d).*$/i, '')
    .replace(/\s*[.,;:(–—-]\s*(?:see\s+)?power of attorney\b.*$/i, '')
    .replace(/(?<![\s.,;:(–—-])[\s.,;:(–—-]+see$/i, '')
    .replace(/^(?:\*+|\([a-z\d]\))\s*/i, '')
    .replace(/(?<![\s.,;:|*–—-])[\s.,;:|*–—-]+$/, '')
  const note = /power of attorney|\bpoa|poa\b|\.(?:txt|pdf|html?)\b/i
  const cutInMidSentence = /(?:^|\s)(?:see|attached|includes|pursuant to|as|by|for|under|a|the)$/i
  if (note.test(title) || cutInMidSentence.test(title)) return ''
  if (!saysNoTitle(title)) return title
  const sentence = firstSentence(title)
  return saysNoTitle(sentence) ? '' : sentence
}

/** Recognizes `Filed late`, `A. Perch no longer serves as CEO`, `Until May 1, 2024, A. Perch was the CFO`. */
const saysNoTitle = (text: string): boolean => NO_TITLE.test(text) || (UNTIL.test(text) && WAS.test(text))

/**
 * Cuts at a mark `(2)` or a full stop that ends a sentence: after five letters, a bracket or capitals (`CEO. Filed
 * late`), or before `This`; not at the one of an abbreviation (`Sr. Vice President`).
 */
function firstSentence(text: string): string {
  const [upToMark = ''] = text.split(/\s\(\d\)\s/)
  return /^(.*?)(?:(?<=\p{L}{5}|\)|\p{Lu}{2})\.\s+\p{Lu}|\.\s+This\b)/u.exec(upToMark)?.[1] ?? upToMark
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
