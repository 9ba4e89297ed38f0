// Callers that ask one after the other without a pause, while something is done to the service; what was not answered
// is kept.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Asked {
  answered: number
  /** A line for each request that was not answered with 200. */
  failed: string[]
}

const CALLERS = 4
// The machine is to have time for what is done to the service as well.
const PAUSE_MS = 10

/** Half of the callers keep their connection, the others make one for each request. */
export async function whileAsking(addresses: string[], work: () => Promise<unknown>): Promise<Asked> {
  const asked: Asked = { answered: 0, failed: [] }
  let isOver = false
  const caller = async (_: unknown, index: number) => {
    const agent = new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 })
    for (let turn = index; !isOver; turn += 1) {
      const address = addresses[turn % addresses.length]!
      const outcome = await ask(address, agent)
      if (outcome === 200) asked.answered += 1
      else asked.failed.push(`${new Date().toISOString()} ${address}: ${outcome}`)
      await sleep(PAUSE_MS)
    }
    agent.destroy()
  }
  const callers = Array.from({ length: CALLERS }, caller)
  try {
    await work()
  } finally {
    isOver = true
    await Promise.all(callers)
  }
  return asked
}

/** The status, once the whole body is there; else what went wrong. */
function ask(address: string, agent: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const asking = request(address, { agent, timeout: 20_000 }, (response) => {
      response.resume()
      response
        .once('end', () => resolve(response.statusCode ?? 'no status'))
        .once('error', (error) => resolve(error.message))
    })
    asking.once('timeout', () => asking.destroy(new Error('no answer in 20 s')))
    asking.once('error', (error: NodeJS.ErrnoException) => resolve(`${error.code ?? ''} ${error.message}`))
    asking.end()
  })
}
