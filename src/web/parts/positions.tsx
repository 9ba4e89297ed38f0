// What an insider holds: by company and class, each class with its lines; derivatives apart; and totals at ends of years.
import type { components } from '../../contract.ts'
import { client, useAsked } from '../api.ts'
import { dayNumber } from '../chart/scale.ts'
import { Spark } from '../chart/spark.tsx'
import { endOfDay, insiderName, money, price, shares } from '../format.ts'
import { linkTo } from '../route.ts'
import { lineState } from '../words.ts'
import { FilingLink } from './inline.tsx'
import { Loaded } from './notice.tsx'
import { Folded, Table, type Column } from './table.tsx'

type Schemas = components['schemas']
type Company = Schemas['InsiderPosition']
type Line = Schemas['PositionLine']
type Derivative = Schemas['DerivativePosition']

const MAX_COMPANIES = 3

export function Held({ cik }: { cik: string }) {
  const asked = useAsked((signal) => client.insiders.positions(cik, {}, { signal }), [cik])
  if (asked.error === null && !asked.data?.companies.length) return null
  return (
    <section>
      <h2>What is held</h2>
      <p class="muted text">
        From all Forms 3, 4 and 5. Confidence is high where the newest filings state all of it, medium where one does
        not restate a part or does not continue the one before, low where nothing was filed for 400 days.
      </p>
      <Loaded asked={asked}>
        {({ complete, companies }) => (
          <>
            {!complete && <p class="notice">Made of the newest 10,000 filings alone.</p>}
            <Folded all={companies} most={MAX_COMPANIES} noun="companies">
              {(shown) => shown.map((company) => <AtCompany key={company.issuerCik} company={company} />)}
            </Folded>
            {companies.length <= MAX_DRAWN_COMPANIES && <OverTime cik={cik} now={companies} />}
          </>
        )}
      </Loaded>
    </section>
  )
}

/** The columns of totals, behind what is held or who holds it. */
export const TOTALS: readonly Column[] = [
  ['Direct', 'number'],
  ['Indirect', 'number'],
  ['Total', 'number'],
  ['Confidence'],
  ['Unconfirmed since', 'day'],
]

export const totalCells = (
  of: Pick<Schemas['Holder'], 'direct' | 'indirect' | 'total' | 'confidence' | 'staleSince'>,
) => [...[of.direct, of.indirect, of.total].map(units), of.confidence ?? '–', of.staleSince ?? '–']

const units = (value: number | null): string => (value === null ? '–' : shares(value))

function AtCompany({ company }: { company: Company }) {
  const { issuerCik, ticker, companyName, classes, derivatives } = company
  return (
    <>
      <h3>
        <a href={linkTo('company', ticker || issuerCik)}>{ticker || companyName}</a>{' '}
        <span class="full">{ticker && companyName}</span>
      </h3>
      {notesOf(company).map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
      {classes.length > 0 && (
        <Table
          caption={`Held at ${ticker || companyName}`}
          columns={[['Class'], ...TOTALS]}
          rows={classes.map((each) => ({
            cells: [each.securityTitle, ...totalCells(each)],
            more: () => <Lines lines={each.lines} />,
          }))}
        />
      )}
      {derivatives.length > 0 && (
        <details>
          <summary>Options and other derivatives ({derivatives.length}), in no total</summary>
          <Table
            caption={`Derivatives at ${ticker || companyName}`}
            columns={DERIVATIVE_COLUMNS}
            rows={derivatives.map((each) => ({ cells: derivativeCells(each) }))}
          />
        </details>
      )}
    </>
  )
}

function notesOf({ openedBefore, exitedSince, nothingOwned }: Company): string[] {
  return [
    nothingOwned ? `A Form 3 of ${nothingOwned.evidenceDay} says that nothing is owned.` : '',
    exitedSince ? `Reporting ended on ${exitedSince}: what is held since is not known.` : '',
    openedBefore ? `No Form 3 is stored: what was held before ${openedBefore} may be missing.` : '',
  ].filter(Boolean)
}

const LINE_COLUMNS: readonly Column[] = [
  ['Held', 'wide'],
  ['Units', 'number'],
  ['State', 'wide'],
  ['Reported of', 'day'],
  ['Filing', 'day'],
  ['Remarks'],
]

const Lines = ({ lines }: { lines: readonly Line[] }) => (
  <Table
    caption="Lines of this class"
    columns={LINE_COLUMNS}
    rows={lines.map((line) => ({
      cells: [heldOf(line), amountOf(line), ...evidenceOf(line), remarksOf(line).join('; ') || '–'],
    }))}
  />
)

const DERIVATIVE_COLUMNS: readonly Column[] = [
  ['Security', 'wide'],
  ['Held', 'wide'],
  ['Units', 'number'],
  ['Exercise price', 'number'],
  ['Expires', 'day'],
  ['Underlying', 'wide'],
  ['State', 'wide'],
  ['Reported of', 'day'],
  ['Filing', 'day'],
  ['Remarks'],
]

const derivativeCells = (line: Derivative) => [
  line.securityTitle,
  heldOf(line),
  amountOf(line),
  price(line.exercisePrice ?? 0),
  line.expirationDate ?? '–',
  [line.underlyingUnits === null ? '' : shares(line.underlyingUnits), line.underlyingTitle].filter(Boolean).join(' '),
  ...evidenceOf(line),
  remarksOf(line).join('; ') || '–',
]

const heldOf = ({ ownership, natureOfOwnership }: Line | Derivative): string =>
  [ownership === 'direct' ? 'directly' : 'indirectly', natureOfOwnership].filter(Boolean).join(': ')

/** What counts towards the total: after a split what it makes of the balance. */
function amountOf(line: Line | Derivative): string {
  const adjusted = 'unitsAdjusted' in line ? line.unitsAdjusted : null
  if (line.units === null) return line.value === null ? '–' : money(line.value)
  return shares(adjusted ?? line.units)
}

const evidenceOf = (line: Line | Derivative) => [
  lineState(line),
  line.evidenceDay,
  <FilingLink of={line.accessionNumber}>{line.accessionNumber}</FilingLink>,
]

function remarksOf(line: Line | Derivative): string[] {
  const isAdjusted = 'unitsAdjusted' in line && line.unitsAdjusted !== null
  return [
    line.sharedWith.length > 0 ? `together with ${namesOf(line.sharedWith)}` : '',
    line.disclaimed ? 'ownership disclaimed' : '',
    isAdjusted ? `${units(line.units)} before the split of ${line.splitSince}` : '',
    'overlapping' in line && line.overlapping ? 'in another line too, so not added' : '',
  ].filter(Boolean)
}

const MAX_NAMES = 3

/** Returns the names of some, and how many more there are. */
export function namesOf(owners: readonly { name: string }[]): string {
  const more = owners.length - MAX_NAMES
  const names = owners.slice(0, MAX_NAMES).map(({ name }) => insiderName(name))
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const MAX_YEARS = 8
/** A picture of more classes says little; who holds at more companies is not asked for. */
const MAX_DRAWN = 3
const MAX_DRAWN_COMPANIES = 10

/** The total of each class at the ends of the past years and now. */
function OverTime({ cik, now }: { cik: string; now: readonly Company[] }) {
  const asked = useAsked((signal) => yearEnds(cik, signal), [cik])
  if (asked.data === null) return null
  const classes = overTime([...asked.data, { at: Math.floor(Date.now() / 86_400_000), companies: now }])
  if (classes.length === 0) return null
  return (
    <figure>
      <figcaption>
        <b>Total of each class over time</b>, direct and indirect, as filings told by the end of each year and by now.
        Changes in between are not drawn; what no filing confirms is carried on; a split shows as a step.
      </figcaption>
      {classes.slice(0, MAX_DRAWN).map(({ name, points }) => (
        <Spark key={name} what="Total held at the ends of years" name={name} points={points} />
      ))}
    </figure>
  )
}

/** Returns what the spellings of a class have in common: `Common`, `Common Stock` and `Common Stock, par value $1`. */
const classOf = (title: string): string =>
  title.toLowerCase().replace(/\b(?:stocks?|shares?)\b|\b(?:no )?par value.*|[^\p{L}\p{N}]/gu, '')

interface State {
  at: number
  companies: readonly Company[]
}

/** Asks for the ends of past years. */
async function yearEnds(cik: string, signal: AbortSignal): Promise<State[]> {
  const first = new Date().getFullYear() - MAX_YEARS
  const days = Array.from({ length: MAX_YEARS }, (_, index) => `${first + index}-12-31`)
  const answers = days.map((day) => client.insiders.positions(cik, { asOf: endOfDay(day) }, { signal }))
  return (await Promise.all(answers)).map(({ companies }, index) => ({ at: dayNumber(days[index]!), companies }))
}

/** Returns the classes with more than one total, the one with the largest total first. */
function overTime(states: readonly State[]) {
  const classes = new Map<string, { name: string; points: { at: number; value: number }[] }>()
  for (const { at, companies } of states) {
    for (const { issuerCik, ticker, companyName, classes: held } of companies) {
      for (const { securityTitle, total } of held) {
        const key = `${issuerCik} ${classOf(securityTitle)}`
        const name = `${ticker || companyName} ${securityTitle}`
        const points = classes.get(key)?.points ?? []
        if (total !== null) classes.set(key, { name, points: [...points, { at, value: total }] })
      }
    }
  }
  const most = ({ points }: { points: { value: number }[] }) => Math.max(...points.map(({ value }) => value))
  return [...classes.values()]
    .filter((each) => each.points.length > 1 && most(each) > 0)
    .sort((one, other) => most(other) - most(one))
}
