// What the pictures share: their width in pixels, shapes of marks, the walk through the marks by arrows, and the table
// below.
import { useSignal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Mark } from './marks.ts'
import { dayLabel, type Scale } from './scale.ts'

/** Returns the width of an element, kept up with the window. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const element = useRef<HTMLDivElement>(null)
  const width = useSignal(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => (width.value = Math.floor(entry!.contentRect.width)))
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [])
  return [element, width.value]
}

/** Radius by area: the largest value has 22 pixels, none less than 3. */
export const radiusOf = (value: number, most: number): number => Math.max(3, 22 * Math.sqrt(value / most))

/** A circle for a buy, a diamond for a sale; outlined alone under a plan. */
export function Shape({ mark, x, y, r }: { mark: Mark; x: number; y: number; r: number }) {
  const kind = `mark ${mark.isBuy ? 'bought' : 'sold'}${mark.isPlan || mark.isFiledDay ? ' hollow' : ''}`
  if (mark.isBuy) return <circle class={kind} cx={x} cy={y} r={r} />
  const d = r * 1.2
  return <path class={kind} d={`M${x} ${y - d}L${x + d} ${y}L${x} ${y + d}L${x - d} ${y}Z`} />
}

interface DaysProps {
  x: (day: number) => number
  ticks: Scale['ticks']
  /** Where the picture ends to which they belong, and its width. */
  y: number
  width: number
}

/** The days below a picture: a stroke at each, and its label within the width. */
export function Days({ x, ticks, y, width }: DaysProps) {
  return ticks.map((tick) => (
    <g key={tick}>
      <line class="tick" x1={x(tick)} x2={x(tick)} y1={y} y2={y + 5} />
      <text x={Math.min(Math.max(x(tick), HALF_LABEL), width - HALF_LABEL)} y={y + 17} text-anchor="middle">
        {dayLabel(tick, ticks)}
      </text>
    </g>
  ))
}

const HALF_LABEL = 36

interface WalkProps {
  label: string
  marks: readonly Mark[]
  words: (mark: Mark) => string
  height: number
  width: number
  children: ComponentChildren
  draw: (mark: Mark) => ComponentChildren
}

/** A picture as one stop of the tab key: arrows step through its marks, Enter pins one below it, Escape unpins it. */
export function Walk({ label, marks, words, height, width, children, draw }: WalkProps) {
  const active = useSignal(0)
  const shown = useSignal<string | null>(null)
  const kept = useSignal(false)
  const picture = useRef<SVGSVGElement>(null)
  const show = (index: number) => {
    if (!kept.value) shown.value = marks[index]?.id ?? null
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      kept.value = false
      active.value = Math.min(Math.max(active.value + step, 0), marks.length - 1)
      picture.current?.querySelectorAll<SVGElement>('[data-mark]')[active.value]?.focus()
    } else if (event.key === 'Enter') kept.value = true
    else if (event.key === 'Escape') {
      kept.value = false
      shown.value = null
    } else return
    event.preventDefault()
  }
  const mark = marks.find(({ id }) => id === shown.value)
  return (
    <>
      <svg ref={picture} role="group" aria-label={label} width={width} height={height} onKeyDown={onKeyDown}>
        {children}
        {marks.map((each, index) => (
          <g
            key={each.id}
            data-mark={each.id}
            class={shown.value === each.id ? 'chosen' : ''}
            role="img"
            aria-label={words(each)}
            tabIndex={index === Math.min(active.value, marks.length - 1) ? 0 : -1}
            onFocus={() => ((active.value = index), show(index))}
            onPointerEnter={() => show(index)}
            onClick={() => ((kept.value = false), show(index), (kept.value = true))}
          >
            {draw(each)}
          </g>
        ))}
      </svg>
      <p class="about">
        {mark === undefined ? <span class="muted">← → step through trades, Enter pins one</span> : words(mark)}
        {kept.value && <span class="muted"> (pinned; Esc unpins)</span>}
      </p>
    </>
  )
}

interface NumbersProps {
  /** What a row stands for, such as `month`. */
  by: string
  titles: readonly string[]
  /** The first cell of each is its header. */
  rows: readonly (readonly string[])[]
}

/** The numbers that a picture was made of, as a table below it. */
export function Numbers({ by, titles, rows }: NumbersProps) {
  return (
    <details>
      <summary>Numbers by {by}</summary>
      <div class="scroller" role="region" aria-label={`Trades by ${by}`} tabIndex={0}>
        <table>
          <caption class="sr">Trades by {by}</caption>
          <thead>
            <tr>
              {titles.map((title, index) => (
                <th key={title} scope="col" class={index === 0 ? '' : 'number'}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([first, ...others]) => (
              <tr key={first}>
                <th scope="row">{first}</th>
                {others.map((text, index) => (
                  <td key={titles[index]} class="number">
                    {text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
