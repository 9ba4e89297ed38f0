// Gauges whose values are read from a store at each scrape. A value that can't be read is absent and never 0, so that
// alert rules can distinguish "nothing waits" from "not known".
import { Gauge, type Registry } from 'prom-client'

/** Registers a gauge; `set` writes its values from one reading. */
export type DefineGauge<Reading> = (
  name: string,
  help: string,
  labelNames: string[],
  set: (gauge: Gauge, reading: Reading) => void,
) => void

/**
 * Returns a function that registers gauges. All gauges share one call of `read` in a scrape, and are absent if it fails.
 */
export function storeGauges<Reading>(registry: Registry, read: () => Promise<Reading>): DefineGauge<Reading> {
  const readOnce = oncePerScrape(read)
  return (name, help, labelNames, set) => {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const reading = await readOnce().then(
          (value) => ({ value }),
          () => null,
        )
        this.reset()
        // reset() alone sets a gauge without labels to 0.
        if (labelNames.length === 0) this.remove()
        if (reading) set(this, reading.value)
      },
    })
  }
}

/** Wraps `read` so that the gauges of one scrape share a reading. */
function oncePerScrape<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | null = null
  return () => {
    current ??= read().finally(() =>
      setImmediate(() => {
        current = null
      }),
    )
    return current
  }
}
