// Trades as bubbles: when, at what price the insiders themselves traded, and how much by area.
import { price } from '../format.ts'
import { radiusOf, Shape, useWidth, Walk } from './frame.tsx'
import { markWords, type Mark } from './marks.ts'
import { dayLabel, dayScale, valueScale } from './scale.ts'

const HEIGHT = 260
const LEFT = 62

export function Bubbles({ marks, from, to, label }: { marks: Mark[]; from: number; to: number; label: string }) {
  const [element, width] = useWidth()
  const most = Math.max(...marks.map(({ value }) => value))
  const x = dayScale(from, to, [LEFT + 14, width - 26])
  const y = valueScale(
    marks.map((mark) => mark.price),
    [HEIGHT - 30, 14],
  )
  return (
    <div ref={element} class="plot">
      {width > 0 && (
        <Walk
          label={label}
          marks={marks}
          words={markWords}
          width={width}
          height={HEIGHT}
          draw={(mark) => <Shape mark={mark} x={x(mark.at)} y={y(mark.price)} r={radiusOf(mark.value, most)} />}
        >
          <g class="axis" aria-hidden="true">
            {y.ticks.map((tick) => (
              <g key={tick}>
                <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
                <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
                  {price(tick)}
                </text>
              </g>
            ))}
            {x.ticks.map((tick) => (
              <text key={tick} x={x(tick)} y={HEIGHT - 6} text-anchor="middle">
                {dayLabel(tick, x.ticks)}
              </text>
            ))}
          </g>
        </Walk>
      )}
    </div>
  )
}
