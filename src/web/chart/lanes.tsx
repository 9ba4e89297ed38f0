// Who traded when: a line for each insider or company over one time axis, with the windows of signals shaded.
import type { ComponentChildren } from 'preact'
import { useSignal } from '@preact/signals'
import { Days, radiusOf, Shape, useWidth } from './frame.tsx'
import type { Mark } from './marks.ts'
import { dayScale } from './scale.ts'

const HEIGHT = 30
const MAX_LANES = 12

export interface Lane {
  key: string
  head: ComponentChildren
  marks: Mark[]
  /** What stands behind the line. */
  end: ComponentChildren
  words: string
}

interface LanesProps {
  lanes: Lane[]
  from: number
  to: number
  windows?: { from: number; to: number }[]
}

export function Lanes({ lanes, from, to, windows = [] }: LanesProps) {
  const isAll = useSignal(false)
  const [element, width] = useWidth()
  const most = Math.max(...lanes.flatMap(({ marks }) => marks.map(({ value }) => value)), 1)
  const x = dayScale(from, to, [14, width - 14])
  const shown = isAll.value ? lanes : lanes.slice(0, MAX_LANES)
  return (
    <div class="lanes">
      {shown.map(({ key, head, marks, end, words }, index) => (
        <div class="lane" key={key}>
          <div class="who">{head}</div>
          <div ref={index === 0 ? element : null} class="line">
            {width > 0 && (
              <svg role="img" aria-label={words} width={width} height={HEIGHT}>
                {windows.map((window) => (
                  <rect
                    key={window.from}
                    class="window"
                    x={x(window.from) - 4}
                    width={Math.max(x(window.to) - x(window.from) + 8, 2)}
                    height={HEIGHT}
                  />
                ))}
                <line class="base" x1={0} x2={width} y1={HEIGHT / 2} y2={HEIGHT / 2} />
                {marks.map((mark) => (
                  <Shape
                    key={mark.id}
                    mark={mark}
                    x={x(mark.at)}
                    y={HEIGHT / 2}
                    r={radiusOf(mark.value, most) * 0.55 + 1}
                  />
                ))}
              </svg>
            )}
          </div>
          <div class="end">{end}</div>
        </div>
      ))}
      <div class="lane ticks" aria-hidden="true">
        <div class="who muted">Trade date</div>
        <svg width={width} height={22} class="axis">
          <Days x={x} ticks={x.ticks} y={0} width={width} />
        </svg>
        <div class="end" />
      </div>
      {lanes.length > MAX_LANES && (
        <button type="button" aria-pressed={isAll.value} class="plain" onClick={() => (isAll.value = !isAll.value)}>
          {isAll.value ? 'Fewer' : `${lanes.length - MAX_LANES} more`}
        </button>
      )}
    </div>
  )
}
