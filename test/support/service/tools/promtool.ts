// Runs the alert rules of Prometheus over figures that change by the minute, with promtool where the machine has it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const rulesFile = fileURLToPath(new URL('../../../../docker/alert-rules.yml', import.meta.url))

/** Values by series, such as `up{instance="api"}`. A series that is missing has no sample in that minute. */
export type Samples = Map<string, number>

export interface Scenario {
  minutes: number
  /** The figures that a scrape gives in a minute, counted from 0. */
  at(minute: number): Samples
}

/** Skips what asks, and says why, where promtool is missing. */
export function needPromtool(context: Mocha.Context): void {
  if (spawnSync('promtool', ['--version']).error === undefined) return
  process.stdout.write('      skipped: there is no promtool; Debian has it in the package prometheus\n')
  context.skip()
}

const FIRING = 'group by (alertname) (ALERTS{alertstate="firing"})'

/**
 * Returns the alerts that fire at the end of the scenario, in alphabetical order. Throws what promtool says of a faulty
 * rule.
 */
export function firingAlerts({ minutes, at }: Scenario): string[] {
  const samples = Array.from({ length: minutes + 1 }, (_, minute) => at(minute))
  const series = [...new Set(samples.flatMap((each) => [...each.keys()]))]
  // promtool compares and has no way to print, so an alert is expected that no rule has, and what there is comes as the
  // difference.
  const said = promtool({
    rule_files: [rulesFile],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: series.map((name) => ({
          series: name,
          values: samples.map((each) => each.get(name) ?? '_').join(' '),
        })),
        promql_expr_test: [
          { expr: FIRING, eval_time: `${minutes}m`, exp_samples: [{ labels: '{alertname="none"}', value: 1 }] },
        ],
      },
    ],
  })
  const [, got] = /^\s+got: (.*)$/m.exec(said) ?? []
  if (got === undefined) throw new Error(said)
  return [...got.matchAll(/alertname="(\w+)"/g)].map(([, alert]) => alert!).sort()
}

function promtool(test: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'promtool-'))
  try {
    const file = join(folder, 'test.yml')
    writeFileSync(file, JSON.stringify(test))
    const { stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
    return stdout + stderr
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
