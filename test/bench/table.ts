// The table at the end of the benches: each goal with its figure, and whether it is met.
import { GOALS, type Goal, type Lines } from './goals.ts'

interface Outcome {
  goal: Goal
  figure: number | undefined
  isMet: boolean | null
}

/** Returns the goals of the benches that ran; null where a line has no such figure. */
function outcomesOf(lines: Lines): Outcome[] {
  return GOALS.flatMap((goal) => {
    if (!(goal.bench in lines)) return []
    const figure = goal.figure(lines[goal.bench])
    const isMet =
      figure === undefined
        ? null
        : figure >= (goal.atLeast ?? Number.NEGATIVE_INFINITY) && figure <= (goal.atMost ?? Number.POSITIVE_INFINITY)
    return [{ goal, figure, isMet }]
  })
}

/** Returns the table in Markdown, which reads well on a terminal too. */
export function goalTable(lines: Lines): string {
  const rows = outcomesOf(lines).map(({ goal, figure, isMet }) => [
    goal.id,
    goal.what,
    figure === undefined ? 'not measured' : withUnit(figure, goal),
    goal.atLeast === undefined ? `≤ ${withUnit(goal.atMost!, goal)}` : `≥ ${withUnit(goal.atLeast, goal)}`,
    isMet === null ? '' : isMet ? 'met' : 'not met',
  ])
  const head = ['#', 'goal', 'figure', 'limit', '']
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)))
  const lineOf = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [lineOf(head), lineOf(widths.map((width) => '-'.repeat(width))), ...rows.map(lineOf)].join('\n')
}

function withUnit(figure: number, { unit }: Goal): string {
  const digits = figure >= 100 ? 0 : figure >= 10 ? 1 : 2
  return `${figure.toLocaleString('en-US', { maximumFractionDigits: digits })}${unit ? ` ${unit}` : ''}`
}
