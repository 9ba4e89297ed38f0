// A field with what the search finds below it: companies and insiders, chosen by pointer or by arrows and Enter.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Data } from '../../client/index.ts'
import { client } from '../api.ts'
import { insiderName } from '../format.ts'

export type Found = Data<'search'>['results'][number]

const PAUSE_MS = 120

/** The symbol of a company, or its CIK in the form that stands for one. */
export const symbolOf = ({ ticker, cik }: { ticker: string; cik: string }): string => ticker || `CIK${cik}`

interface ComboboxProps {
  id: string
  name?: string
  label?: string
  placeholder: string
  initial?: string
  isRequired?: boolean
  kinds?: 'company'
  /** Returns what of the text is searched for; all of it by default. */
  wordsOf?: (text: string) => string
  /** Returns what the field holds after a choice. */
  onChoose: (found: Found, text: string) => string
  /** Enter takes the first, and Escape empties the field: there is no form around it. */
  isAlone?: boolean
}

export function Combobox({ id, wordsOf = String, onChoose, isAlone = false, ...given }: ComboboxProps) {
  const words = useSignal('')
  const results = useSignal<Found[] | null>(null)
  const fault = useSignal('')
  const active = useSignal(-1)
  const input = useRef<HTMLInputElement>(null)
  /** The words that the results are of, and those for which Enter takes the first as soon as there are results. */
  const answered = useRef('')
  const entered = useRef('')

  useEffect(() => {
    const text = words.value
    const q = text.trim().slice(0, 64)
    if (!/[\p{L}\p{N}]/u.test(q)) {
      results.value = null
      return
    }
    const stop = new AbortController()
    const ask = async () => {
      const answer = await client.search({ q, kinds: given.kinds }, { signal: stop.signal }).catch(() => null)
      if (stop.signal.aborted || document.activeElement !== input.current) return
      fault.value = answer === null ? 'The search does not answer now.' : ''
      results.value = answer?.results ?? []
      active.value = -1
      answered.current = text
      if (entered.current === text) choose(results.value[0])
      entered.current = ''
    }
    const timer = setTimeout(() => void ask(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [words.value])

  const close = (text: string) => {
    input.current!.value = text
    words.value = ''
    results.value = null
  }
  const choose = (found: Found | undefined) => found && close(onChoose(found, input.current!.value))
  const onKeyDown = (event: KeyboardEvent) => {
    const found = results.value ?? []
    const isAsking = results.value === null || answered.current !== words.value
    if (event.key === 'Escape') close(isAlone ? '' : input.current!.value)
    else if (event.key === 'Enter' && isAlone && isAsking) entered.current = words.value
    else if (event.key === 'Enter' && (isAlone || active.value >= 0)) choose(found[Math.max(active.value, 0)])
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const from = event.key === 'ArrowDown' ? active.value + 1 : Math.max(active.value, 0) - 1
      active.value = (from + found.length) % Math.max(found.length, 1)
    } else return
    event.preventDefault()
  }
  const isOpen = results.value !== null
  return (
    <span class="combobox">
      <input
        ref={input}
        id={id}
        name={given.name}
        type="search"
        role="combobox"
        list={undefined}
        autocomplete="off"
        spellcheck={false}
        required={given.isRequired}
        placeholder={given.placeholder}
        aria-label={given.label}
        aria-expanded={isOpen}
        aria-controls={`${id}-results`}
        aria-autocomplete="list"
        aria-activedescendant={active.value >= 0 ? `${id}-${active.value}` : undefined}
        defaultValue={given.initial}
        onInput={(event) => (words.value = wordsOf(event.currentTarget.value))}
        onKeyDown={onKeyDown}
        onBlur={() => setTimeout(() => (results.value = null), 150)}
      />
      <ul id={`${id}-results`} role="listbox" aria-label="Found" hidden={!isOpen}>
        {(results.value ?? []).map((found, index) => (
          <li
            key={`${found.kind}${found.cik}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={active.value === index}
            onMouseDown={(event) => {
              // The field keeps the focus.
              event.preventDefault()
              choose(found)
            }}
          >
            {found.kind === 'company' ? (
              <>
                <b>{found.ticker || found.cik}</b> {found.name}{' '}
                {found.exchange !== 'Unknown' && <span class="muted">{found.exchange}</span>}
              </>
            ) : (
              <>
                {insiderName(found.name)}{' '}
                <span class="muted">{[found.title, found.ticker].filter(Boolean).join(' · ') || 'insider'}</span>
              </>
            )}
          </li>
        ))}
      </ul>
      <span role="status" class={isOpen && results.value?.length === 0 ? 'none' : 'sr'}>
        {isOpen && (fault.value || (results.value!.length === 0 ? 'Nothing found.' : `${results.value!.length} found`))}
      </span>
    </span>
  )
}

/** A field for symbols of companies, separated by commas: the last one is completed. */
export function TickersField({ id, initial }: { id: string; initial: string }) {
  return (
    <Combobox
      id={id}
      name="tickers"
      label="Companies"
      placeholder="EXWI,EXGD"
      initial={initial}
      kinds="company"
      wordsOf={(text) => text.split(',').at(-1)!}
      onChoose={(found, text) => [...text.split(',').slice(0, -1), symbolOf(found)].join(',')}
    />
  )
}
