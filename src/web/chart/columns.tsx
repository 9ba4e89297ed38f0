// Buys and sells by month: columns up and down from one line, and the same as a table.
import { many, money } from '../format.ts'
import { Days, Numbers, useWidth } from './frame.tsx'
import type { Month } from './marks.ts'
import { dayNumber, monthTicks } from './scale.ts'

const HALF = 48
const LEFT = 74
const TOP = 8
const FOOT = TOP + 2 * HALF
const MIDDLE = TOP + HALF

export function Columns({ months }: { months: Month[] }) {
  const [element, width] = useWidth()
  const most = Math.max(...months.map(({ buys, sells }) => Math.max(buys, sells)), 1)
  const step = Math.min((width - LEFT) / months.length, 72)
  const size = (value: number) => (value === 0 ? 0 : Math.max(2, (value / most) * HALF))
  const bar = Math.max(step - 1.5, 1)
  const end = LEFT + months.length * step
  const middles = new Map(months.map(({ month }, index) => [dayNumber(`${month}-01`), LEFT + (index + 0.5) * step]))
  const ticks = monthTicks(
    months.map(({ month }) => month),
    step,
  )
  const words = `Trades by month from ${months[0]?.month} to ${months.at(-1)?.month}; the table below has the numbers`
  return (
    <div ref={element} class="plot">
      {width > 0 && (
        <svg class="axis" role="img" aria-label={words} width={width} height={FOOT + 22}>
          {[
            [TOP, many(most, 'buy')],
            [MIDDLE, '0'],
            [FOOT, many(most, 'sell')],
          ].map(([y, label]) => (
            <g key={label}>
              <line class={y === MIDDLE ? 'base' : 'grid'} x1={LEFT} x2={end} y1={y} y2={y} />
              <text x={LEFT - 8} y={Number(y) + 4} text-anchor="end">
                {label}
              </text>
            </g>
          ))}
          {months.map(({ month, buys, sells }, index) => (
            <g key={month}>
              <rect
                class="mark bought"
                x={LEFT + index * step}
                width={bar}
                y={MIDDLE - size(buys)}
                height={size(buys)}
              />
              <rect class="mark sold" x={LEFT + index * step} width={bar} y={MIDDLE} height={size(sells)} />
            </g>
          ))}
          <Days x={(day) => middles.get(day) ?? LEFT} ticks={ticks} y={FOOT} width={width} />
        </svg>
      )}
      <Numbers
        by="month"
        titles={['Month', 'Buys', 'Bought', 'Sells', 'Sold']}
        rows={months
          .filter(({ buys, sells }) => buys + sells > 0)
          .toReversed()
          .map(({ month, buys, sells, bought, sold }) => [month, `${buys}`, money(bought), `${sells}`, money(sold)])}
      />
    </div>
  )
}
