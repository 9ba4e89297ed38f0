// Detects by its first bytes what a response of EDGAR contains: error pages in HTML can have status 200, and must not be
// read as an index or a filing.
import { ACCESSION_NUMBER } from '../../domain/shared/identifiers.ts'

/** A response with other content than requested. The message says what it is instead. */
export class UnexpectedContent extends Error {
  constructor(expected: string, text: string) {
    super(`no ${expected}: ${describe(text)}`)
    this.name = 'UnexpectedContent'
  }
}

/** Enough for the text of any error page; the title is in the first kilobyte or two. */
const HEAD = 16_384

export function isHtml(text: string): boolean {
  return /^(?:\xEF\xBB\xBF)?\s*(<!doctype html|<html|<head|<body)/i.test(text.slice(0, 1000))
}

/** Returns whether this is the page with which the SEC refuses an address, for its rate or its User-Agent. */
export function isRefusal(text: string): boolean {
  return isHtml(text) && /request rate threshold|undeclared automated tool/i.test(text.slice(0, HEAD))
}

/** Returns whether this is the archive's answer for a missing object, which has status 403. */
export function isAbsentObject(text: string): boolean {
  const head = text.slice(0, HEAD)
  return /^\s*(<\?xml[^>]*\?>)?\s*<Error>/.test(head) && /<Code>(AccessDenied|NoSuchKey)<\/Code>/.test(head)
}

const SUBMISSION_START = /^\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE-----[^<]{0,4000})?<SEC-DOCUMENT>([^\r\n]*)/

/** Returns why `text` is not the complete submission `accession`, or null if it is. */
export function lackOfSubmission(text: string, accession: string): string | null {
  // Only its beginning: over megabytes of white space the expression would run out of stack.
  const start = SUBMISSION_START.exec(text.slice(0, HEAD))
  if (!start) return `no submission: ${describe(text)}`
  const named = ACCESSION_NUMBER.exec(start[1]!)?.[0]
  if (named !== undefined && named !== accession) return `another submission: ${named}`
  return text.includes('</SEC-DOCUMENT>') ? null : 'cut short: no </SEC-DOCUMENT>'
}

/** Describes a response for a log line: the title of an HTML page, else how the text begins. */
export function describe(text: string): string {
  if (!/\S/.test(text)) return 'nothing'
  if (!isHtml(text)) return `begins with ${JSON.stringify(text.trimStart().slice(0, 40).toWellFormed())}`
  const title = /<title>([^<]{0,200})/i.exec(text.slice(0, HEAD))?.[1]?.trim().replace(/\s+/g, ' ')
  return title ? `the HTML page "${title}"` : 'an HTML page'
}
