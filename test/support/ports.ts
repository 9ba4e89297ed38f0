// Ports for servers of tests: none that the system gives to outgoing connections (32768 and above on Linux, 49152 on
// others), one of which would take a port between its choice and the start of its server, or while that is restarted.
import { randomInt } from 'node:crypto'
import { whyNotListen } from '../../src/infrastructure/embedded/ports.ts'

const FIRST = 10_000
/** The test processes that run side by side take theirs from different ranges; one alone, from the first. */
const PER_PROCESS = 5_000
const first = FIRST + PER_PROCESS * Number(process.env.TEST_LANE ?? 0)
let next = randomInt(PER_PROCESS)

/** The one port of these that fetch refuses. */
const REFUSED_BY_FETCH = 10_080

/** Returns a port on which nothing listens, another one each time. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + (next++ % PER_PROCESS)
    if (port !== REFUSED_BY_FETCH && (await whyNotListen(port, '0.0.0.0')) === null) return port
  }
}
