// make screenshots: the README's pictures, taken from the page of a running make demo (URL for another address).
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { components } from '../../src/contract.ts'
import { openPage, startBrowser } from '../support/browser.ts'

type Schemas = components['schemas']

const address = (process.env.URL || 'http://127.0.0.1:8090').replace(/\/$/, '')
const folder = join(import.meta.dirname, '../../src/web/screenshots')

const ask = async <T>(path: string): Promise<T> => {
  const answer = (await (await fetch(address + path)).json()) as { data: T }
  return answer.data
}

/** Returns the cluster with the most to show: trades that count and trades that were left out. */
async function richestSignal(): Promise<Schemas['SignalDetail']> {
  const { signals } = await ask<Schemas['SignalPage']>('/v1/signals?type=cluster_buy&limit=40')
  const details = await Promise.all(signals.map(({ id }) => ask<Schemas['SignalDetail']>(`/v1/signals/${id}`)))
  const worth = ({ counted, leftOut }: Schemas['SignalDetail']) => counted.length + 2 * Math.min(leftOut.length, 4)
  const [best] = details.toSorted((one, other) => worth(other) - worth(one))
  if (best === undefined) throw new Error(`${address} has no cluster yet: let make demo run for some minutes`)
  return best
}

const best = await richestSignal()
mkdirSync(folder, { recursive: true })
const browser = await startBrowser()
try {
  for (const [name, path, ready, colorScheme] of [
    ['feed', '/', 'tr[data-id]', 'light'],
    ['company', `/#/company/${best.signal.ticker}`, '.lanes svg', 'dark'],
    ['signal', `/#/signal/${best.signal.id}`, '.lanes svg', 'light'],
  ] as const) {
    const { page, close } = await openPage(browser, address, path, { colorScheme, reducedMotion: 'reduce' })
    await page.locator(ready).first().waitFor()
    await page.waitForTimeout(2_000)
    await page.screenshot({ path: join(folder, `${name}.png`) })
    await close()
  }
} finally {
  await browser.close()
}
process.stdout.write(`feed.png, company.png and signal.png are in ${folder}\n`)
