// The search box: a combobox over companies and insiders. `/` leads to it from anywhere on the page.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Data } from '../../client/index.ts'
import { client } from '../api.ts'
import { insiderName } from '../format.ts'
import { goTo, linkTo } from '../route.ts'

type Result = Data<'search'>['results'][number]

const PAUSE_MS = 120

const address = (result: Result): string =>
  result.kind === 'company' ? linkTo('company', result.ticker || result.cik) : linkTo('insider', result.cik)

export function SearchBox() {
  const text = useSignal('')
  const results = useSignal<Result[] | null>(null)
  const fault = useSignal('')
  const active = useSignal(-1)
  const input = useRef<HTMLInputElement>(null)

  useEffect(() => {
    const words = text.value.trim()
    if (!/[\p{L}\p{N}]/u.test(words)) {
      results.value = null
      return
    }
    const stop = new AbortController()
    const ask = async () => {
      const answer = await client.search({ q: words.slice(0, 64) }, { signal: stop.signal }).catch(() => null)
      if (stop.signal.aborted) return
      fault.value = answer === null ? 'The search does not answer now.' : ''
      results.value = answer?.results ?? []
      active.value = -1
    }
    const timer = setTimeout(() => void ask(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text.value])

  const close = () => {
    text.value = ''
    results.value = null
  }
  const choose = (result: Result | undefined) => {
    if (result === undefined) return
    goTo(address(result))
    close()
    input.current?.blur()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const found = results.value ?? []
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter') choose(found[Math.max(active.value, 0)])
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1
      active.value = (active.value + step + found.length) % Math.max(found.length, 1)
    } else return
    event.preventDefault()
  }
  const isOpen = results.value !== null
  return (
    <div class="search" role="search">
      <input
        ref={input}
        id="search"
        type="search"
        role="combobox"
        list={undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder="Company or insider"
        aria-label="Search companies and insiders"
        aria-expanded={isOpen}
        aria-controls="search-results"
        aria-autocomplete="list"
        aria-activedescendant={active.value >= 0 ? `search-${active.value}` : undefined}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={() => setTimeout(() => (results.value = null), 150)}
      />
      <kbd aria-hidden="true">/</kbd>
      <ul id="search-results" role="listbox" aria-label="Found" hidden={!isOpen}>
        {(results.value ?? []).map((result, index) => (
          <li
            key={`${result.kind}${result.cik}`}
            id={`search-${index}`}
            role="option"
            aria-selected={active.value === index}
            onMouseDown={() => choose(result)}
          >
            {result.kind === 'company' ? (
              <>
                <b>{result.ticker || result.cik}</b> {result.name} <span class="muted">{result.exchange}</span>
              </>
            ) : (
              <>
                {insiderName(result.name)}{' '}
                <span class="muted">{[result.title, result.ticker].filter(Boolean).join(' · ') || 'insider'}</span>
              </>
            )}
          </li>
        ))}
      </ul>
      <p role="status" class={isOpen && results.value?.length === 0 ? 'nothing' : 'sr'}>
        {isOpen && (fault.value || (results.value!.length === 0 ? 'Nothing found.' : `${results.value!.length} found`))}
      </p>
    </div>
  )
}
