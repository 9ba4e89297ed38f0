// Buys and sales by month: columns up and down from one line, and the same as a table.
import { money } from '../format.ts'
import { Numbers, useWidth } from './frame.tsx'
import type { Month } from './marks.ts'

const HALF = 34

export function Columns({ months }: { months: Month[] }) {
  const [element, width] = useWidth()
  const most = Math.max(...months.map(({ buys, sells }) => Math.max(buys, sells)), 1)
  const step = Math.min(width / months.length, 24)
  const size = (value: number) => (value === 0 ? 0 : Math.max(2, (value / most) * (HALF - 2)))
  const words = `Trades by month from ${months[0]?.month} to ${months.at(-1)?.month}; the table below has the numbers`
  return (
    <div ref={element} class="plot">
      {width > 0 && (
        <svg role="img" aria-label={words} width={width} height={2 * HALF}>
          <line class="base" x1={0} x2={width} y1={HALF} y2={HALF} />
          {months.map(({ month, buys, sells }, index) => (
            <g key={month}>
              <rect
                class="mark bought"
                x={index * step}
                width={Math.max(step - 1.5, 1)}
                y={HALF - size(buys)}
                height={size(buys)}
              />
              <rect class="mark sold" x={index * step} width={Math.max(step - 1.5, 1)} y={HALF} height={size(sells)} />
            </g>
          ))}
        </svg>
      )}
      <Numbers
        by="month"
        titles={['Month', 'Buys', 'Bought', 'Sales', 'Sold']}
        rows={months
          .filter(({ buys, sells }) => buys + sells > 0)
          .toReversed()
          .map(({ month, buys, sells, bought, sold }) => [month, `${buys}`, money(bought), `${sells}`, money(sold)])}
      />
    </div>
  )
}
