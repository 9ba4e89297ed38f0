// The worker threads of the service, which all tests of a process share: a thread of each container's own would take
// half a second to start. They are not closed: idle ones do not keep the process.
import { WORKER } from '../../../src/container/container.ts'
import { Workers } from '../../../src/infrastructure/workers/workers.ts'

export const { compute } = new Workers(WORKER)
