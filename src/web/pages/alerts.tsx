// The rules of alerts of the reader's key: made of the feed's filters, with what each would have matched, and what was
// sent.
import { useSignal } from '@preact/signals'
import type { components } from '../../contract.ts'
import { keyedClient, useAsked } from '../api.ts'
import { many } from '../format.ts'
import { goTo, linkTo, route } from '../route.ts'
import {
  CHOICES,
  conditionsOf,
  conditionWords,
  fieldsOfFilter,
  isAmount,
  settingsOf,
  settingsOfAlert,
  TYPED,
} from '../rule.ts'
import { EVENTS, SEVERITIES, SIGNALS } from '../words.ts'
import { TickersField } from '../parts/combobox.tsx'
import { Deliveries, testWords } from '../parts/deliveries.tsx'
import { Heading } from '../parts/heading.tsx'
import { Time } from '../parts/inline.tsx'
import { fieldsOf, Health, Keyed, useActs } from '../parts/keyed.tsx'
import { Loaded } from '../parts/notice.tsx'
import { NoticeTable } from '../parts/notice-table.tsx'
import { Opener } from '../parts/opener.tsx'
import { AsRequest } from '../parts/request.tsx'
import { SignalTable } from '../parts/signal-table.tsx'
import { TradeTable } from '../parts/trade-table.tsx'

type Schemas = components['schemas']
type Alert = Schemas['Alert']

const DAYS = 7
const FORMATS = { standard: 'JSON', slack: 'Slack', discord: 'Discord' }

export function AlertsPage() {
  return (
    <>
      <Heading>Alerts</Heading>
      <p class="text muted">
        A rule sends trades that pass its filter, at any company, and signals that have one, to an address of yours or
        to Slack or Discord.
      </p>
      <Keyed>
        <Rules />
      </Keyed>
    </>
  )
}

function Rules() {
  const { alerts } = keyedClient.value
  const { query } = route.value
  const { filter, leftOut } = conditionsOf(query)
  const turn = useSignal(0)
  const added = useSignal('')
  const { act, said } = useActs(() => (turn.value += 1))
  const list = useAsked((signal) => alerts.list({ signal }), [turn.value])
  const add = (settings: Schemas['AlertSettings']) =>
    act(alerts.create(settings), ({ id, name }) => {
      added.value = id
      goTo(linkTo('alerts'))
      return `${name} is saved and off. Switch it on if what it would have matched is right.`
    })
  return (
    <>
      {said}
      {/* Another one when a rule was saved, or with other filters. */}
      <details class="more under" key={`${query}${added.value}`} open={query.size > 0}>
        <summary>New rule</summary>
        <RuleForm id="new" filter={filter} leftOut={leftOut} onSave={(fields) => void add(settingsOf(fields, false))} />
      </details>
      <section>
        <h2>Rules</h2>
        <Loaded asked={list}>
          {({ alerts: rules }) => (
            <ul class="lines">
              {rules.map((rule) => (
                <Rule
                  key={rule.id}
                  rule={rule}
                  isNew={rule.id === added.value}
                  onChange={() => (turn.value += 1)}
                  onRemove={() => void act(alerts.remove(rule.id), () => `${rule.name} is deleted.`)}
                />
              ))}
              {rules.length === 0 && (
                <li class="none">No rules yet. Set filters of the feed and press “Alert me on this”.</li>
              )}
            </ul>
          )}
        </Loaded>
      </section>
      <Deliveries
        by="alertId"
        all="all rules and companies"
        choices={list.data?.alerts.map(({ id, name }) => [id, name]) ?? []}
        turn={turn.value}
      />
      <AsRequest
        calls={[{ path: '/v1/alerts', typescript: 'const { alerts } = await client.alerts.list()', isKeyed: true }]}
      />
    </>
  )
}

interface RuleProps {
  rule: Alert
  isNew: boolean
  onChange: () => void
  onRemove: () => void
}

function Rule({ rule, isNew, onChange, onRemove }: RuleProps) {
  const { id, name, enabled, events, filter, destination, lastMatchedAt, health } = rule
  const { alerts } = keyedClient.value
  const isOpen = useSignal(isNew)
  const isEdited = useSignal(false)
  const { act, said } = useActs(onChange)
  const replace = (settings: Schemas['AlertSettings'], words: string) =>
    act(alerts.replace(id, settings), () => {
      isEdited.value = false
      return words
    })
  const change = (isOn: boolean) =>
    replace({ ...settingsOfAlert(rule), enabled: isOn }, `${name} is ${isOn ? 'on' : 'off'}.`)
  return (
    <li data-alert={id}>
      <span class="kind">
        <Opener isOpen={isOpen}>{name}</Opener>
      </span>
      <span class="said">
        {conditionWords(filter)}. {events.map((event) => EVENTS[event]).join(', ')}, as {FORMATS[destination.format!]}{' '}
        to {hostOf(destination.url)}
        <Health of={health.status} since={health.since} why={health.lastError} />.{' '}
        <span class="muted">
          {lastMatchedAt === null ? (
            'No match yet.'
          ) : (
            <>
              Last match <Time at={lastMatchedAt} basis="accepted" />.
            </>
          )}
        </span>
      </span>
      <span class="tools">
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            checked={enabled}
            onChange={(event) => void change(event.currentTarget.checked)}
          />
          on<span class="sr">: {name}</span>
        </label>
        <button
          type="button"
          aria-label={`Test ${name}`}
          onClick={() => void act(alerts.test(id), (delivery) => testWords(delivery))}
        >
          Test
        </button>
        <button
          type="button"
          aria-label={`Edit ${name}`}
          aria-pressed={isEdited.value}
          onClick={() => (isEdited.value = !isEdited.value)}
        >
          Edit
        </button>
        <button type="button" aria-label={`Delete ${name}`} onClick={onRemove}>
          Delete
        </button>
      </span>
      <div class="whole">{said}</div>
      {isEdited.value && (
        <div class="more whole">
          <RuleForm
            id={id}
            filter={fieldsOfFilter(filter)}
            rule={rule}
            onSave={(fields) => void replace(settingsOf(fields, enabled), 'Saved.')}
          />
        </div>
      )}
      {isOpen.value && <Matches of={rule} />}
    </li>
  )
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url

/** What a rule would have matched in the past week, whether it is on or not. */
function Matches({ of: { id, updatedAt } }: { of: Alert }) {
  const asked = useAsked(
    (signal) => keyedClient.value.alerts.matches(id, { days: DAYS, limit: 20 }, { signal }),
    [id, updatedAt],
  )
  return (
    <div class="opened">
      <Loaded asked={asked}>
        {({ transactions, signals, notices, hasMore }) => (
          <>
            <h3>
              Matches of the past week: {many(transactions.length, 'trade')}, {many(signals.length, 'signal')}
              {notices && `, ${many(notices.length, 'notice')}`}
              {hasMore && ', and more'}
            </h3>
            {transactions.length > 0 && <TradeTable caption="Trades that match" rows={transactions} />}
            <SignalTable signals={signals} />
            {notices && notices.length > 0 && <NoticeTable notices={notices} />}
          </>
        )}
      </Loaded>
    </div>
  )
}

interface RuleFormProps {
  /** Tells its fields from those of other forms. */
  id: string
  filter: Record<string, string>
  leftOut?: string[]
  rule?: Alert
  onSave: (fields: FormData) => void
}

function RuleForm({ id, filter, leftOut = [], rule, onSave }: RuleFormProps) {
  const events = rule?.events ?? ['transaction.created', 'signal.detected']
  return (
    <form onSubmit={(event) => onSave(fieldsOf(event))}>
      <label>
        Name
        <input name="name" required maxLength={80} placeholder="Chiefs buy" defaultValue={rule?.name} />
      </label>
      <label>
        Send to
        <input name="url" type="url" required placeholder="https://…" defaultValue={rule?.destination.url} />
      </label>
      <Choice
        name="format"
        label="Format"
        values={Object.entries(FORMATS)}
        chosen={rule?.destination.format ?? 'standard'}
      />
      <Ticks
        name="events"
        label="Sent are"
        words={EVENTS}
        values={['transaction.created', 'transaction.amended', 'signal.detected', 'signal.escalated', 'notice.created']}
        chosen={events}
      />
      {leftOut.length > 0 && <p class="whole">Left out, since rules have none of it: {leftOut.join(', ')}.</p>}
      {TYPED.map(([name, label, hint]) => (
        <label key={name}>
          {label}
          {name === 'tickers' ? (
            <TickersField id={`tickers-${id}`} initial={filter[name] ?? ''} />
          ) : (
            <input
              name={name}
              type={(isAmount(name) ? 'number' : 'text') as 'number'}
              min={isAmount(name) && !name.endsWith('HoldingChange') ? 0 : undefined}
              step={isAmount(name) ? 'any' : undefined}
              placeholder={hint}
              defaultValue={filter[name] ?? ''}
            />
          )}
        </label>
      ))}
      {CHOICES.map(([name, label, values]) => (
        <Choice
          key={name}
          name={name}
          label={label}
          values={[['', 'any'], ...values.map((each): [string, string] => [each, each])]}
          chosen={filter[name] ?? ''}
        />
      ))}
      <Choice
        name="minSeverity"
        label="Severity of signals at least"
        values={[['', 'any'], ...SEVERITIES.map((each): [string, string] => [each, each])]}
        chosen={rule?.minSeverity ?? ''}
      />
      <Ticks
        name="signalTypes"
        label="Signals, all if none is ticked"
        words={SIGNALS}
        values={Object.keys(SIGNALS) as Schemas['SignalType'][]}
        chosen={rule?.signalTypes ?? []}
      />
      <label class="switch whole">
        <input name="detail" type="checkbox" defaultChecked={rule?.detail ?? false} /> with all that a filing says of a
        trade
      </label>
      <div class="tools whole">
        <button type="submit" class="main">
          Save
        </button>
        {rule === undefined && (
          <span class="muted">It is saved off, and shows what it would have matched in the past week.</span>
        )}
      </div>
    </form>
  )
}

interface ChoiceProps {
  name: string
  label: string
  values: [value: string, words: string][]
  chosen: string
}

const Choice = ({ name, label, values, chosen }: ChoiceProps) => (
  <label>
    {label}
    <select name={name}>
      {values.map(([value, words]) => (
        <option key={value} value={value} selected={value === chosen}>
          {words}
        </option>
      ))}
    </select>
  </label>
)

interface TicksProps<T extends string> {
  name: string
  label: string
  words: Record<T, string>
  values: T[]
  chosen: readonly T[]
}

const Ticks = <T extends string>({ name, label, words, values, chosen }: TicksProps<T>) => (
  <fieldset class="tools whole">
    <legend>{label}</legend>
    {values.map((value) => (
      <label key={value} class="switch">
        <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} /> {words[value]}
      </label>
    ))}
  </fieldset>
)
