// Containers of the stores for tests, where a Docker engine answers: images had or pulled, each started with a password
// of its own, removed at the end; those of a run that was killed are removed by the next. No Ryuk: that is one image
// more.
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import Mocha from 'mocha'
import pg from 'pg'
import { createClient } from 'redis'
import type { ContainerRuntimeClient, GenericContainer, StartedTestContainer } from 'testcontainers'
import { isAlive } from '../service/processes/is-alive.ts'

export type StoreName = 'PostgreSQL' | 'Redis' | 'ClickHouse'

interface Recipe {
  variable: string
  /** Those of docker/compose.yml. */
  image: string
  port: number
  prepare: (container: GenericContainer, password: string) => GenericContainer
  url: (address: string, password: string) => string
  /** Resolves where the store answers a question at its address; an open port alone says nothing. */
  ask: (url: string) => Promise<unknown>
}

const RECIPES: Record<StoreName, Recipe> = {
  PostgreSQL: {
    variable: 'TEST_POSTGRES_IMAGE',
    image: 'postgres:18.1',
    port: 5432,
    prepare: (container, password) =>
      container.withEnvironment({ POSTGRES_USER: 'test', POSTGRES_PASSWORD: password, POSTGRES_DB: 'test' }),
    url: (address, password) => `postgres://test:${password}@${address}/test`,
    // Its image makes the database with a server that it then stops, and Docker takes connections before either
    // listens.
    ask: async (connectionString) => {
      const client = new pg.Client({ connectionString, connectionTimeoutMillis: ASK_MS })
      client.on('error', () => {})
      await client
        .connect()
        .then(() => client.query('SELECT 1'))
        .finally(() => client.end().catch(() => {}))
    },
  },
  Redis: {
    variable: 'TEST_REDIS_IMAGE',
    image: 'redis:8.2',
    port: 6379,
    prepare: (container, password) =>
      container.withCommand([
        'redis-server',
        '--bind',
        '0.0.0.0',
        '--requirepass',
        password,
        '--save',
        '',
        '--appendonly',
        'no',
      ]),
    url: (address, password) => `redis://:${password}@${address}`,
    ask: async (url) => {
      const client = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: ASK_MS } })
      client.on('error', () => {})
      await client
        .connect()
        .then(() => client.ping())
        .finally(() => client.destroy())
    },
  },
  ClickHouse: {
    variable: 'TEST_CLICKHOUSE_IMAGE',
    image: 'clickhouse/clickhouse-server:26.7',
    port: 8123,
    prepare: (container, password) =>
      container.withEnvironment({ CLICKHOUSE_USER: 'test', CLICKHOUSE_PASSWORD: password }),
    url: (address, password) => `http://test:${password}@${address}`,
    ask: async (url) => {
      const { origin, username, password } = new URL(url)
      const headers = { authorization: `Basic ${btoa(`${username}:${password}`)}` }
      const response = await fetch(`${origin}/?query=SELECT%201`, { headers, signal: AbortSignal.timeout(ASK_MS) })
      if (!response.ok) throw new Error(await response.text())
    },
  },
}

// Where Docker answers but the registry does not: after this time without a word the image can't be had.
const SILENT_MS = 10_000
/** For one question to a store that is starting, and for its start. */
const ASK_MS = 2_000
const START_MS = 60_000
const LABEL = 'insider-trading-data-service.test-run'

export interface Containers {
  started: Map<StoreName, { url: string; image: string }>
  /** Why there is none: of the engine, or of a store's image. */
  faults: string[]
  remove(): Promise<void>
}

/** A container for each of the stores where it can be had; never rejects, but tells what could not be. */
export async function startContainers(stores: StoreName[]): Promise<Containers> {
  const none: Containers = { started: new Map(), faults: [], remove: async () => {} }
  // The library's own variable, read when the first container starts.
  process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true'
  const { getContainerRuntimeClient } = await import('testcontainers')
  const engine = await within(SILENT_MS, getContainerRuntimeClient()).catch(() => null)
  if (engine === null) return { ...none, faults: ['no Docker engine answers'] }
  await sweep(engine)
  const running: StartedTestContainer[] = []
  const outcomes = await Promise.all(
    stores.map(async (store) => {
      const image = imageOf(store)
      try {
        await haveImage(engine, image)
        const { container, url } = await start(RECIPES[store], image)
        running.push(container)
        return { store, image, url }
      } catch (error) {
        return { store, image, fault: (error as Error).message.trim() }
      }
    }),
  )
  const byFault = Map.groupBy(
    outcomes.filter(({ fault }) => fault),
    ({ fault }) => fault!,
  )
  return {
    started: new Map(outcomes.flatMap(({ store, image, url }) => (url ? [[store, { url, image }] as const] : []))),
    faults: [...byFault].map(([fault, of]) => `${of.map(({ image }) => image).join(', ')}: ${fault}`),
    remove: async () => void (await Promise.all(running.map((container) => container.stop({ timeout: 0 })))),
  }
}

function imageOf(store: StoreName): string {
  return process.env[RECIPES[store].variable] || RECIPES[store].image
}

async function haveImage({ container: { dockerode } }: ContainerRuntimeClient, image: string): Promise<void> {
  const isHere = () =>
    dockerode
      .getImage(image)
      .inspect()
      .then(
        () => true,
        () => false,
      )
  if (await isHere()) return
  const silent = new AbortController()
  let timer = setTimeout(() => silent.abort(), SILENT_MS)
  let fault = `can't be pulled, the registry is silent for ${SILENT_MS / 1000} s`
  try {
    const stream = await dockerode.pull(image, { abortSignal: silent.signal })
    Mocha.reporters.Base.consoleLog(`pulling ${image}`)
    await new Promise<void>((resolve) => {
      dockerode.modem.followProgress(
        stream,
        () => resolve(),
        ({ error }: { error?: string }) => {
          if (error) fault = error
          timer.refresh()
        },
      )
    })
  } catch (error) {
    if (!silent.signal.aborted) fault = (error as Error).message.replace(/^\(HTTP code \d+\) [^-]* - /, '').trim()
  } finally {
    clearTimeout(timer)
  }
  if (!(await isHere())) throw new Error(fault)
}

async function start(
  { port, prepare, url, ask }: Recipe,
  image: string,
): Promise<{ container: StartedTestContainer; url: string }> {
  const { GenericContainer, Wait } = await import('testcontainers')
  const password = randomUUID()
  const container = await prepare(new GenericContainer(image), password)
    .withExposedPorts(port)
    .withLabels({ [LABEL]: `${hostname()}:${process.pid}` })
    .withWaitStrategy(Wait.forListeningPorts())
    .withStartupTimeout(START_MS)
    .start()
  const address = url(`${container.getHost()}:${container.getMappedPort(port)}`, password)
  try {
    await untilAnswered(() => ask(address))
  } catch (error) {
    await container.stop({ timeout: 0 })
    throw error
  }
  return { container, url: address }
}

async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  for (const end = performance.now() + START_MS; ;) {
    const fault = await ask().then(
      () => null,
      (error: Error) => error,
    )
    if (fault === null) return
    if (performance.now() > end) throw new Error(`no answer in ${START_MS / 1000} s: ${fault.message}`)
    await sleep(100)
  }
}

/** What a run that was killed has left; a run on another machine may use the same engine. */
async function sweep({ container: { dockerode } }: ContainerRuntimeClient): Promise<void> {
  for (const { Id, Labels } of await dockerode.listContainers({ all: true, filters: { label: [LABEL] } })) {
    const [host, pid] = Labels[LABEL]!.split(':')
    if (host !== hostname() || isAlive(Number(pid))) continue
    // Another run may be sweeping too.
    await dockerode
      .getContainer(Id)
      .remove({ force: true, v: true })
      .catch(() => {})
  }
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('too late')), milliseconds)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
