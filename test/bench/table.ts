// The table at the end of the benches: each goal with its value, and whether it holds.
import { GOALS, type Goal, type Lines } from './goals.ts'

/** Returns the goals of the benches that ran, in Markdown, which reads well on a terminal too. */
export function goalTable(lines: Lines): string {
  const rows = GOALS.filter(({ bench }) => bench in lines).map((goal) => {
    const { id, what, atLeast, atMost } = goal
    const value = goal.figure(lines[goal.bench])
    const limit = atLeast === undefined ? `≤ ${withUnit(atMost!, goal)}` : `≥ ${withUnit(atLeast, goal)}`
    const holds = value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity)
    return !Number.isFinite(value)
      ? [id, what, '–', limit, 'not measured']
      : [id, what, withUnit(value, goal), limit, holds ? 'yes' : 'no']
  })
  const head = ['#', 'goal', 'value', 'limit', 'holds']
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)))
  const lineOf = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [lineOf(head), lineOf(widths.map((width) => '-'.repeat(width))), ...rows.map(lineOf)].join('\n')
}

function withUnit(figure: number, { unit }: Goal): string {
  const digits = figure >= 100 ? 0 : figure >= 10 ? 1 : 2
  return `${figure.toLocaleString('en-US', { maximumFractionDigits: digits })}${unit ? ` ${unit}` : ''}`
}
