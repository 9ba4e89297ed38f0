// Filters of the feed: the usual ones as buttons, all others in a form. They stand in the page's address.
import type { ComponentChildren } from 'preact'
import { goTo, linkTo, route } from '../../route.ts'
import { openMarketOnly } from '../../state/store.ts'
import { Choice } from '../choice.tsx'
import { TickersField } from '../combobox.tsx'

const PRESETS = [
  ['', 'All'],
  ['buys', 'Buys'],
  ['sells', 'Sells'],
  ['high', 'High significance'],
  ['ceo_cfo', 'CEO & CFO'],
] as const

/** Fields of the form, named as the parameters of the API. */
const FIELDS: [name: string, label: string, hint: string, type?: 'number' | 'date'][] = [
  ['insiderCiks', 'Insiders (CIK)', '1999105'],
  ['minValue', 'Value at least ($)', '250000', 'number'],
  ['filedFrom', 'Filed from', '', 'date'],
  ['filedTo', 'Filed to', '', 'date'],
  ['sectors', 'Sectors', 'Technology,Energy'],
  ['firstBuyInYears', 'First purchase in years', '3', 'number'],
  ['minHoldingChange', 'Change of holding from', '0.1'],
  ['maxHoldingChange', 'Change of holding to', '-0.5'],
]
const CHOICES: [name: string, label: string, values: [value: string, words: string][]][] = [
  [
    'roles',
    'Role',
    [
      ['officer', 'officer'],
      ['director', 'director'],
      ['ten_percent_owner', 'owns more than 10%'],
      ['ceo,cfo', 'CEO or CFO'],
    ],
  ],
  [
    'plan10b51',
    '10b5-1 plan',
    [
      ['no,unknown', 'not under a plan'],
      ['yes', 'under a plan'],
    ],
  ],
  [
    'ownership',
    'Ownership',
    [
      ['direct', 'direct'],
      ['indirect', 'indirect'],
    ],
  ],
  [
    'minSignificance',
    'Significance',
    [
      ['medium', 'medium or more'],
      ['high', 'high or more'],
      ['critical', 'critical'],
    ],
  ],
  [
    'late',
    'Filing',
    [
      ['true', 'late'],
      ['false', 'in time'],
    ],
  ],
  [
    'sort',
    'Order',
    [
      ['', 'newest first'],
      ['value', 'highest value first'],
      ['holdingChange', 'largest change of holding first'],
    ],
  ],
]
export const FILTERS = ['filter', 'tickers', ...FIELDS.map(([name]) => name), ...CHOICES.map(([name]) => name)]

const present = (): Record<string, string | undefined> => Object.fromEntries(route.value.query)

export function FilterBar({ children }: { children: ComponentChildren }) {
  const { query } = route.value
  const chosen = query.get('filter') ?? ''
  const others = FILTERS.filter((name) => name !== 'filter' && query.get(name))
  const apply = (event: SubmitEvent) => {
    event.preventDefault()
    const given = Object.fromEntries(
      [...new FormData(event.currentTarget as HTMLFormElement)].map(([name, value]) => [
        name,
        (value as string).trim(),
      ]),
    )
    goTo(linkTo('feed', '', { filter: query.get('filter') ?? undefined, ...given }))
  }
  return (
    <div class="filters">
      <div class="tools">
        <span class="tools presets" role="group" aria-label="Which trades">
          {PRESETS.map(([value, label]) => (
            <a
              key={value}
              class="button"
              href={linkTo('feed', '', { ...present(), filter: value })}
              aria-current={chosen === value ? 'true' : undefined}
            >
              {label}
            </a>
          ))}
        </span>
        <label class="switch">
          <input
            type="checkbox"
            checked={openMarketOnly.value === 'yes'}
            onChange={(event) => (openMarketOnly.value = event.currentTarget.checked ? 'yes' : 'no')}
          />
          open-market trades only
        </label>
        {children}
      </div>
      <details class="more">
        <summary>{others.length > 0 ? `Filters (${others.length})` : 'Filters'}</summary>
        <form key={query.toString()} onSubmit={apply}>
          <label>
            Companies
            <TickersField id="tickers" initial={query.get('tickers') ?? ''} />
          </label>
          {FIELDS.map(([name, label, hint, type]) => (
            <label key={name}>
              {label}
              <input
                name={name}
                type={(type ?? 'text') as 'text'}
                placeholder={hint}
                defaultValue={query.get(name) ?? ''}
              />
            </label>
          ))}
          {CHOICES.map(([name, label, values]) => (
            <Choice key={name} name={name} label={label} values={values} chosen={query.get(name) ?? ''} />
          ))}
          <div class="tools">
            <button type="submit" class="main">
              Apply
            </button>
            <a class="button" href={linkTo('feed', '', { filter: chosen })}>
              Clear
            </a>
          </div>
        </form>
      </details>
    </div>
  )
}
