// Trades as bubbles: when, at what price the insiders themselves traded, and how much by area.
import { price } from '../format.ts'
import { Days, radiusOf, Shape, useWidth, Walk } from './frame.tsx'
import { markWords, type Mark } from './marks.ts'
import { dayScale, valueScale } from './scale.ts'

const HEIGHT = 286
const LEFT = 62
/** Below are the days and what they are. */
const FOOT = HEIGHT - 40

export function Bubbles({ marks, from, to, label }: { marks: Mark[]; from: number; to: number; label: string }) {
  const [element, width] = useWidth()
  const most = Math.max(...marks.map(({ value }) => value))
  const x = dayScale(from, to, [LEFT + 14, width - 26])
  const y = valueScale(
    marks.map((mark) => mark.price),
    [FOOT - 8, 34],
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
            <text y={12}>Average price per share</text>
            {y.ticks.map((tick) => (
              <g key={tick}>
                <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
                <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
                  {price(tick)}
                </text>
              </g>
            ))}
            <line class="tick" x1={LEFT} x2={width} y1={FOOT} y2={FOOT} />
            <Days x={x} ticks={x.ticks} y={FOOT} width={width} />
            <text x={(LEFT + width) / 2} y={HEIGHT - 4} text-anchor="middle">
              Trade date
            </text>
          </g>
        </Walk>
      )}
    </div>
  )
}
