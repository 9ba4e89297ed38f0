// The thread that ingests as the other sees it: its answers, what it could not do, and its end.
import { assert } from 'chai'
import { configFromEnvironment } from '../../../../src/config.ts'
import { IngestThread } from '../../../../src/service/ingest-thread/ingest-thread.ts'

/** A thread that answers each order by this code, in which `tell` sends and `kind` is the order. */
function threadOf(answers: string): IngestThread {
  const code = `
    import { workerData } from 'node:worker_threads'
    const { port } = workerData
    const tell = (kind, more = {}) => port.postMessage({ kind, ...more })
    port.on('message', ({ kind }) => { ${answers} })`
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`)
  return new IngestThread(configFromEnvironment(), 'postgres://localhost/none', url)
}

const END = "if (kind === 'stop') tell('stopped'); if (kind === 'close') tell('closed')"

async function reasonOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: Error) => error.message,
  )
}

describe('the thread that ingests', () => {
  let thread: IngestThread | undefined
  afterEach(async () => {
    await thread?.stop()
    await thread?.close()
  })

  it('opens, begins, measures, stops and closes', async () => {
    const measures = { statements: [], load: { busy: 1, waiting: 2 } }
    thread = threadOf(`
      if (kind === 'open') tell('opened')
      if (kind === 'start') tell('ready')
      if (kind === 'measure') tell('measured', { measures: ${JSON.stringify(measures)} })
      ${END}`)

    await thread.open()
    await thread.start()

    // Null where it takes long to answer.
    let measured: object | null = null
    while (measured === null) measured = await thread.measures()
    assert.deepEqual(measured, measures)
    assert.isFalse(thread.hasEnded())
  })

  it('gives its reason where it can not open ClickHouse, or can not fill it', async () => {
    thread = threadOf(`
      if (kind === 'open') tell('refused', { error: new Error('in use') })
      if (kind === 'start') tell('unready', { error: new Error('no zip') })
      ${END}`)

    assert.strictEqual(await reasonOf(thread.open()), 'in use')
    assert.strictEqual(await reasonOf(thread.start()), 'no zip')
  })

  it('hands on a fault that ends its work', async () => {
    thread = threadOf(`if (kind === 'start') { tell('ready'); tell('failed', { error: new Error('broken') }) } ${END}`)

    await thread.start()

    assert.strictEqual(await reasonOf(thread.failed), 'broken')
  })

  it('fails when it ends, and is waited for no longer', async () => {
    thread = threadOf(`if (kind === 'open') { tell('opened') } else if (kind === 'start') process.exit(0)`)
    await thread.open()

    assert.strictEqual(await reasonOf(thread.start()), 'the ingesting thread ended')
    assert.strictEqual(await reasonOf(thread.failed), 'the ingesting thread ended')
    assert.isTrue(thread.hasEnded())
    await thread.stop()
  })

  it('fails with the error of its code', async () => {
    thread = threadOf(`if (kind === 'start') throw new Error('a bug'); ${END}`)

    assert.strictEqual(await reasonOf(thread.start()), 'a bug')
  })

  it('has no measures where it is busy for longer than a second', async () => {
    thread = threadOf(END)
    // The thread's answer keeps no process alive.
    const alive = setInterval(() => {}, 100)

    assert.isNull(await thread.measures())
    clearInterval(alive)
  })
})
