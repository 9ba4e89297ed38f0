// A line of what is owned at some times, with its ends in numbers and years.
import { count } from '../format.ts'
import { useWidth } from './frame.tsx'

const HEIGHT = 36

interface SparkProps {
  /** What the numbers are, for readers of screens. */
  what: string
  name: string
  points: { at: number; value: number }[]
}

export function Spark({ what, name, points }: SparkProps) {
  const [element, width] = useWidth()
  const [first, last] = [points[0]!, points.at(-1)!]
  const most = Math.max(...points.map(({ value }) => value), 1)
  const x = (at: number) => 3 + ((at - first.at) / Math.max(last.at - first.at, 1)) * (width - 6)
  const y = (value: number) => HEIGHT - 4 - (value / most) * (HEIGHT - 8)
  const line = points.map(
    ({ at, value }, index) => `${index === 0 ? 'M' : 'H'}${x(at)}${index === 0 ? ` ${y(value)}` : `V${y(value)}`}`,
  )
  const words = [first, last]
    .map(({ at, value }) => `${count(value)} in ${new Date(at * 86_400_000).getUTCFullYear()}`)
    .join(' → ')
  return (
    <div class="lane spark">
      <div class="who">
        <span class="title">{name}</span>
      </div>
      <div ref={element} class="line">
        {width > 0 && (
          <svg role="img" aria-label={`${what}, ${name}: ${words}`} width={width} height={HEIGHT}>
            <path class="trend" d={line.join('')} />
          </svg>
        )}
      </div>
      <div class="end">{words}</div>
    </div>
  )
}
