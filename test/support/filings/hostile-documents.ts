// Documents made to cost a reader time or memory: tags repeated, unclosed, nested and interleaved, and long runs of
// each class of characters, in every part of a submission. Each shape fills any size, so that readers can be shown to
// be linear.
import { ownershipXml, submissionText } from './filing-builder.ts'

export interface HostileShape {
  /** Part and what fills it: `submission: documents`. */
  name: string
  /** A document of about `size` bytes. */
  make(size: number): Buffer
}

/** Fills a place in a document; `size` bytes of it. */
type Filler = readonly [name: string, fill: (size: number) => Buffer]

export const repeated =
  (unit: string | Buffer) =>
  (size: number): Buffer => {
    const bytes = Buffer.from(unit as string)
    return Buffer.alloc(Math.max(1, Math.ceil(size / bytes.length)) * bytes.length, bytes)
  }

/** One of each class that a reader tells apart; the last two are no UTF-8. */
const CHARACTERS: readonly (readonly [string, string | Buffer])[] = [
  ['carriage returns', '\r'],
  ['newlines', '\n'],
  ['Windows line ends', '\r\n'],
  ['tabs', '\t'],
  ['spaces', ' '],
  ['letters', 'a'],
  ['capitals', 'A'],
  ['digits', '0'],
  ['dashes', '-'],
  ['dots', '.'],
  ['commas', ','],
  ['less-than signs', '<'],
  ['greater-than signs', '>'],
  ['ampersands', '&'],
  ['entities', '&amp;'],
  ['references', '&#65;'],
  ['quotes', '"'],
  ['apostrophes', "'"],
  ['brackets', ']'],
  ['opening brackets', '('],
  ['colons', ':'],
  ['semicolons', '; '],
  ['slashes', '/'],
  ['equals signs', '='],
  ['question marks', '?'],
  ['exclamation marks', '!'],
  ['dollar signs', '$'],
  ['NULs', '\0'],
  ['escapes', '\x1b'],
  ['accents', 'é'],
  ['Chinese', '中'],
  ['emoji', '😀'],
  ['non-characters', '\uffff'],
  ['windows-1252', Buffer.from([0xe9])],
  ['no UTF-8', Buffer.from([0xff])],
]
export const RUNS: readonly Filler[] = CHARACTERS.map(([name, character]) => [name, repeated(character)])

/** Words of which the readers of footnotes, remarks and titles look for the next and the one after. */
export const PHRASES: readonly Filler[] = (
  [
    '10b5-1 ',
    '10b5-1 plan ',
    'pursuant to ',
    'pursuant to a ',
    'not pursuant to a 10b5-1 ',
    'plan adopted under ',
    'plan intended ',
    'sold under the plan. The ',
    'no sale was ',
    'shares may be sold ',
    'the trading plan ',
    'other than under ',
    'not been ',
    'sales of ',
    'title: ',
    'title:\n',
    'CEO. ',
    'chief executive ',
    'chief and ',
    'officer, ',
    'former ',
    'exhibit ',
    'ex-',
    'power of attorney ',
    'See remarks ',
    'footnote ',
    'A. ',
    'a, ',
    'a-',
    'x (1) ',
  ] as const
).map((phrase) => [JSON.stringify(phrase), repeated(phrase)])

const TAGS: readonly Filler[] = (
  [
    '<a/>',
    '<a></a>',
    '<a>',
    '</a>',
    '<!---->',
    '<!--',
    '<![CDATA[]]>',
    '<![CDATA[',
    '<?a?>',
    '<?a ',
    '<a b="',
    '<a b="c"/>',
    'x<!---->',
    '<value>',
    '<value lue>',
    '<issuer/>',
    '<reportingOwner/>',
    '<reportingOwner></reportingOwner>',
    '<ownerSignature/>',
    '<nonDerivativeTransaction/>',
    '<nonDerivativeTransaction><securityTitle>a</securityTitle></nonDerivativeTransaction>',
    '<derivativeHolding/>',
    '<footnotes><footnote id="F1">10b5-1 plan</footnote></footnotes>',
    '<remarks/>',
    '<footnoteId id="F1"/>',
    '<ownershipDocument>',
    '<ownershipDocument/>',
    '<ownerSignature><signatureName>a</signatureName></ownerSignature>',
  ] as const
).map((tag) => [tag, repeated(tag)])

const EVERYTHING = [...RUNS, ...PHRASES, ...TAGS]
const PLACE = '@HERE@'

/** `around` holds the mark where the filling goes. */
export const within = (part: string, around: string, fillers: readonly Filler[]): HostileShape[] => {
  const [before, after] = around.split(PLACE).map((text) => Buffer.from(text)) as [Buffer, Buffer]
  return fillers.map(([name, fill]) => ({
    name: `${part}: ${name}`,
    make: (size) => Buffer.concat([before, fill(size - before.length - after.length), after]),
  }))
}

const whole = (name: string, before: string, unit: string, after: string): HostileShape => ({
  name: `submission: ${name}`,
  make: (size) =>
    Buffer.concat([Buffer.from(before), repeated(unit)(size - before.length - after.length), Buffer.from(after)]),
})

const OPEN = '<SEC-DOCUMENT>x\n',
  CLOSE = '</SEC-DOCUMENT>'
const FORM = 'CONFORMED SUBMISSION TYPE:\t4\n'

const SUBMISSIONS: readonly HostileShape[] = [
  whole('documents', OPEN, '<DOCUMENT><TYPE>4<TEXT></DOCUMENT>', CLOSE),
  whole('documents without TEXT', OPEN, '<DOCUMENT><TYPE>4</DOCUMENT>', CLOSE),
  whole('documents without TYPE', OPEN, '<DOCUMENT></DOCUMENT>', CLOSE),
  whole('exhibits', OPEN, '<DOCUMENT><TYPE>EX-24<TEXT></DOCUMENT>', CLOSE),
  whole('unclosed documents', OPEN, '<DOCUMENT><TYPE>4<TEXT>', CLOSE),
  whole('unclosed documents and one close', OPEN, '<DOCUMENT><TYPE>4<TEXT>', `</DOCUMENT>${CLOSE}`),
  whole('nested documents', `${OPEN}<DOCUMENT><TYPE>4<TEXT><XML>`, '<DOCUMENT><XML>', `</XML></DOCUMENT>${CLOSE}`),
  whole('closes', OPEN, '</DOCUMENT>', CLOSE),
  whole('closes behind an open one', `${OPEN}<DOCUMENT>`, '</DOCUMENT>', CLOSE),
  whole('unclosed XML', OPEN, '<DOCUMENT><TYPE>4<TEXT><XML></DOCUMENT>', CLOSE),
  whole('XML sections', OPEN, '<DOCUMENT><TYPE>4<TEXT><XML></XML></DOCUMENT>', CLOSE),
  whole('XML sections in one document', `${OPEN}<DOCUMENT><TYPE>4<TEXT>`, '<XML></XML>', `</DOCUMENT>${CLOSE}`),
  whole('interleaved', OPEN, '<DOCUMENT><TEXT><XML></DOCUMENT><TYPE></XML></TEXT>', CLOSE),
  whole('TYPEs', `${OPEN}<DOCUMENT>`, '<TYPE>', `<TEXT></DOCUMENT>${CLOSE}`),
  whole('TEXTs', `${OPEN}<DOCUMENT><TYPE>4`, '<TEXT>', `</DOCUMENT>${CLOSE}`),
  whole('roots', OPEN, '<SEC-DOCUMENT>', CLOSE),
  whole('root ends', OPEN, CLOSE, CLOSE),
  whole('nearly root ends', OPEN, '</SEC-DOCUMENT', CLOSE),
  whole('dissemination documents', '<SUBMISSION>\n<TYPE>4\n', '<DOCUMENT><TYPE>4<TEXT></DOCUMENT>', '</SUBMISSION>'),
  whole('dissemination header of issuers', '<SUBMISSION>\n<TYPE>4\n', '<ISSUER>', '<DOCUMENT></DOCUMENT></SUBMISSION>'),
  whole('header of issuers', `${OPEN}${FORM}`, '\nISSUER:', `<DOCUMENT></DOCUMENT>${CLOSE}`),
  whole('header of labels', `${OPEN}${FORM}`, 'STANDARD INDUSTRIAL CLASSIFICATION\n', `<DOCUMENT></DOCUMENT>${CLOSE}`),
]

const submission = submissionText()
const xml = ownershipXml({
  remarks: 'REMARK',
  owners: [{ isOfficer: true, officerTitle: 'OFFICE' }],
  rows: [{ footnotes: { coding: ['F1'] } }],
  footnotes: [{ id: 'F1', text: 'NOTE' }],
})

/** What an `ownershipDocument` can hold at a place; the rest of the document is in order. */
const inXml = (part: string, mark: string, place: string, fillers: readonly Filler[], from = xml) =>
  within(
    part,
    from.replace(mark, () => place),
    fillers,
  )

/** All shapes: some 700. */
export const HOSTILE_SHAPES: readonly HostileShape[] = [
  ...SUBMISSIONS,
  ...within(
    'header',
    submission.replace('FILED AS OF DATE', () => `${PLACE}\nFILED AS OF DATE`),
    RUNS,
  ),
  ...within(
    'header form',
    submission.replace('SUBMISSION TYPE:\t4', () => `SUBMISSION TYPE:\t${PLACE}`),
    RUNS,
  ),
  ...within('header title', `<SEC-DOCUMENT>${PLACE}`, RUNS),
  ...within('before all', `${PLACE}${submission}`, RUNS),
  ...within('behind all', `${submission}${PLACE}`, RUNS),
  ...within(
    'type of a document',
    submission.replace('<TYPE>4', () => `<TYPE>${PLACE}`),
    RUNS,
  ),
  ...within(
    'exhibit',
    submission.replace(
      '</SEC-DOCUMENT>',
      () => `<DOCUMENT>\n<TYPE>EX-24\n<TEXT>\n${PLACE}\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>`,
    ),
    [...RUNS, ...TAGS],
  ),
  ...within(
    'XML of a submission',
    submission.replace('</ownershipDocument>', () => `${PLACE}</ownershipDocument>`),
    [...RUNS, ...TAGS],
  ),
  ...inXml('document', '</ownershipDocument>', `${PLACE}</ownershipDocument>`, EVERYTHING),
  ...inXml('before the root', '<ownershipDocument>', `${PLACE}<ownershipDocument>`, [...RUNS, ...TAGS]),
  ...inXml('attribute', '<footnote id="F1"', `<footnote id="${PLACE}"`, RUNS),
  ...inXml(
    'remarks',
    'REMARK',
    PLACE,
    [...RUNS, ...PHRASES],
    xml.replace('OFFICE', 'See remarks').replace('NOTE', 'x'),
  ),
  ...inXml('footnote', 'NOTE', PLACE, [...RUNS, ...PHRASES], xml.replace('OFFICE', 'See footnote 1')),
  ...inXml('title of an officer', 'OFFICE', PLACE, [...RUNS, ...PHRASES]),
  ...inXml('symbol', 'EXWI', PLACE, [...RUNS, ...PHRASES]),
  ...inXml('title of a security', 'Common Stock', PLACE, RUNS),
  ...inXml('shares', '<transactionShares>', `<transactionShares>${PLACE}`, RUNS),
  ...inXml('footnotes', '</footnotes>', `${PLACE}</footnotes>`, FOOTNOTES()),
]

/** Many footnotes, each the longest that is read, made of one phrase. */
function FOOTNOTES(): Filler[] {
  return PHRASES.map(([name, fill]) => {
    const note = `<footnote id="F1">10b5-1 ${fill(900).toString()}</footnote>`
    return [`notes of ${name}`, repeated(note)] as const
  })
}
