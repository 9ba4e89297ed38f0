// The market in two panels over one axis: the share of buyers among those who traded, and dollars bought and sold.
import type { components } from '../../contract.ts'
import { count, money } from '../format.ts'
import { Days, Numbers, useWidth } from './frame.tsx'
import { dayNumber, dayScale } from './scale.ts'

type Point = components['schemas']['SentimentPoint']

const LEFT = 52
/** Above each panel is its title. */
const TITLE = 16
const SHARE = TITLE + 120
/** Room for the numbers of traders, in two lines by turns, and the second title. */
const GAP = 44
/** Fewer traders than this are shown with their number: a share of three persons says little. */
const FEW = 10
/** Columns that are narrower have no room for it. */
const MIN_STEP = 4
const HALF = 76
const AXIS = 22
const VALUES = SHARE + GAP
const HEIGHT = VALUES + 2 * HALF + AXIS

interface PanelsProps {
  points: readonly Point[]
  interval: 'week' | 'month'
  /** The first day from which the data is complete. */
  historyFrom: string | null
}

export function MarketPanels({ points, interval, historyFrom }: PanelsProps) {
  const [element, width] = useWidth()
  const step = (width - LEFT) / points.length
  const most = Math.max(...points.map(({ buyValue, sellValue }) => Math.max(buyValue, sellValue)), 1)
  const bar = (kind: string, index: number, y: number, height: number) => (
    <rect class={`mark ${kind}`} x={LEFT + index * step} width={Math.max(step - 1, 0.8)} y={y} height={height} />
  )
  const size = (value: number) => (value === 0 ? 0 : Math.max(1, (value / most) * HALF))
  const [half, middle] = [shareY(50), VALUES + HALF]
  // Before the history begins nothing is known, which is not the same as no trades.
  const unknown = historyFrom === null ? 0 : points.filter(({ start }) => start < historyFrom.slice(0, 7)).length
  const [first, last] = [points[0]!, points.at(-1)!]
  const [from, to] = [dayNumber(first.start), dayNumber(last.start) + (interval === 'week' ? 7 : 30)]
  const day = dayScale(from, to, [LEFT, width])
  const isFew = ({ buyers, sellers }: Point) => buyers + sellers > 0 && buyers + sellers < FEW
  const hasFew = points.some(isFew)
  const words = `Share of buyers and dollars by ${interval}; the table below has the numbers`
  return (
    <figure>
      <figcaption>
        <b>Share of buyers</b> among the insiders who traded, by {interval} of filing; the line is at 50%.
        {hasFew &&
          ` Outlined: fewer than ${FEW} insiders${step < MIN_STEP ? '' : '; the number below is how many'}.`}{' '}
        <b>Dollars</b>: <span class="up">bought</span> above the line, <span class="down">sold</span> below.
        {unknown > 0 && ' Hatched: before the history begins.'}
      </figcaption>
      <div ref={element} class="plot">
        {width > 0 && (
          <svg class="axis" role="img" aria-label={words} width={width} height={HEIGHT}>
            <defs>
              <pattern id="unknown" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <line class="grid" x1="0" x2="0" y1="0" y2="6" />
              </pattern>
            </defs>
            {unknown > 0 && <rect x={LEFT} y={0} width={unknown * step} height={HEIGHT - AXIS} fill="url(#unknown)" />}
            <text y={11}>Share of buyers</text>
            <text y={VALUES - 6}>Dollars</text>
            {[100, 50, 0].map((share) => (
              <g key={share}>
                <line
                  class={share === 50 ? 'base' : 'grid'}
                  x1={LEFT}
                  x2={width}
                  y1={shareY(share)}
                  y2={shareY(share)}
                />
                <text x={LEFT - 6} y={shareY(share) + 4} text-anchor="end">
                  {share}%
                </text>
              </g>
            ))}
            {points.map((point, index) => {
              const { buyers, sellers } = point
              const y = shareY((100 * buyers) / (buyers + sellers || 1))
              const isMost = buyers > sellers
              const height = Math.max(Math.abs(y - half), 1)
              const kind = `${isMost ? 'bought' : 'sold'}${isFew(point) ? ' hollow' : ''}`
              return buyers + sellers > 0 && bar(kind, index, isMost ? y : half, height)
            })}
            {step >= MIN_STEP &&
              points.map((point, index) => {
                const [x, y] = [LEFT + (index + 0.5) * step, SHARE + 8 + 10 * (index % 2)]
                return (
                  isFew(point) && (
                    <text key={point.start} class="few" x={x} y={y} text-anchor="middle">
                      {point.buyers + point.sellers}
                    </text>
                  )
                )
              })}
            <line class="base" x1={LEFT} x2={width} y1={middle} y2={middle} />
            {[most, 0, -most].map((value) => (
              <text key={value} x={LEFT - 6} y={middle - Math.sign(value) * (HALF - 6) + 4} text-anchor="end">
                {value === 0 ? '$0' : money(Math.abs(value))}
              </text>
            ))}
            {points.map(({ buyValue, sellValue }, index) => [
              bar('bought', index, middle - size(buyValue), size(buyValue)),
              bar('sold', index, middle, size(sellValue)),
            ])}
            <Days x={day} ticks={day.ticks} y={HEIGHT - AXIS} width={width} />
          </svg>
        )}
      </div>
      <Numbers
        by={interval}
        titles={[interval === 'week' ? 'Week from' : 'Month', 'Buyers', 'Sellers', 'Bought', 'Sold', 'Net']}
        rows={points
          .toReversed()
          .map(({ start, buyers, sellers, buyValue, sellValue, netValue }) => [
            interval === 'week' ? start : start.slice(0, 7),
            ...[buyers, sellers].map(count),
            ...[buyValue, sellValue, netValue].map(money),
          ])}
      />
    </figure>
  )
}

const shareY = (share: number): number => TITLE + 4 + (1 - share / 100) * (SHARE - TITLE - 8)
