// What validated requests cost that neither the engine nor memory answers: the product's HTTP layer with handlers that
// have their answer ready, against bare node:http that sends the same head and bytes, and with a contract of 70
// operations against one of 10. Operations beside the product's are copies, found before the ones that are asked for.
// SECONDS=2 ROUNDS=5. One JSON line.
import { printBench } from '../support/measure.ts'
import { askRaw, bareServer, compared, startHttpService } from '../support/sides.ts'

const SECONDS = Number(process.env.SECONDS ?? 2)
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const [FEW, MANY] = [10, 70]
const TARGETS = { feed: '/v1/feed?filter=buys&limit=5', company: '/v1/companies/EXMP?detail=full', health: '/healthz' }

async function started(operations: number) {
  const service = await startHttpService({ OPERATIONS: String(operations) })
  return { ...service, address: `http://127.0.0.1:${service.port}` }
}

async function measure(): Promise<void> {
  const [few, many] = [await started(FEW), await started(MANY)]
  const figures: Record<string, Record<string, number>> = {}
  try {
    for (const [name, target] of Object.entries(TARGETS)) {
      const bare = await bareServer(await askRaw(`${few.address}${target}`))
      const side = ({ address, pid }: typeof few) => ({ url: `${address}${target}`, pid, headers: [] })
      const sides = { bare: { url: bare.url, pid: bare.pid, headers: [] }, few: side(few), many: side(many) }
      const { costs, ratio } = await compared(sides, { rounds: ROUNDS, seconds: SECONDS })
      bare.stop()
      figures[name] = {
        barePerSecond: costs.bare.perSecond,
        validatedPerSecond: costs.few.perSecond,
        validatedToBare: ratio('few', 'bare'),
        cpuBareMicros: costs.bare.cpuMicros,
        cpuFewMicros: costs.few.cpuMicros,
        cpuManyMicros: costs.many.cpuMicros,
        manyToFewOperations: ratio('many', 'few', 'cpuMicros'),
      }
    }
  } finally {
    few.stop()
    many.stop()
  }
  const all = (figure: string) => Object.values(figures).map((each) => each[figure]!)
  printBench('validated', {
    operations: { few: few.operations, many: many.operations },
    figures,
    ratios: {
      validatedToBare: Math.min(...all('validatedToBare')),
      manyToFewOperations: Math.max(...all('manyToFewOperations')),
    },
  })
}

await measure()
