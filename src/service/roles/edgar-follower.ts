// Follows EDGAR: reads the live feed, catches up by the daily index, and fetches the company list once a day and
// sectors that filings do not show. A lock makes sure that one process at a time does so.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { FollowReport } from '../../application/ingestion/follow-live-feed.ts'
import { OTHER_SOURCE } from '../../application/queries/service-status.ts'
import type { SourceProgress } from '../../application/ports/filings.ts'
import type { Config } from '../../config.ts'
import { connectEdgar, type Container } from '../../container/container.ts'
import { resolve, type Resolved } from '../../container/named.ts'
import { TYPES } from '../../container/tokens.ts'
import { EdgarClient } from '../../infrastructure/edgar/client/client.ts'
import { parseCompanyList } from '../../infrastructure/edgar/listings/company-list.ts'
import { acquire } from '../../infrastructure/postgres/coordination/leader-lock.ts'

const LIST_EVERY_MS = 24 * 3_600_000
const LIST_RETRY_MS = 3_600_000
const TRY_AGAIN_MS = 2_000

/** Returns null if EDGAR_USER_AGENT, with which the SEC wants clients to identify themselves, is not set. */
export function edgarOf(config: Config): EdgarClient | null {
  const { edgarUserAgent: userAgent, edgarBaseUrl: baseUrl, edgarDataUrl: dataUrl } = config
  return userAgent === null
    ? null
    : new EdgarClient({ userAgent, baseUrl, dataUrl, maxPerSecond: config.edgarMaxPerSecond })
}

/**
 * Records that filings come from a server other than EDGAR, if they do. Has to be called before anything is fetched.
 */
export async function recordSource({ edgarBaseUrl }: Config, progress: Pick<SourceProgress, 'move'>): Promise<void> {
  const { hostname } = new URL(edgarBaseUrl)
  if (hostname !== 'sec.gov' && !hostname.endsWith('.sec.gov')) await progress.move(OTHER_SOURCE, '')
}

const SERVICES = {
  edgar: TYPES.edgar,
  followEdgar: TYPES.followEdgar,
  catchUp: TYPES.catchUp,
  fetchSectors: TYPES.fetchSectors,
  sourceProgress: TYPES.sourceProgress,
  companyList: TYPES.companyList,
  jobs: TYPES.jobs,
}

interface Following extends Resolved<typeof SERVICES> {
  config: Config
  databaseUrl: string
  log: Logger
}

/** Returns a function that follows EDGAR until the signal aborts. May be called once for a container. */
export function openEdgarFollower(
  config: Config,
  databaseUrl: string,
  container: Container,
  log: Logger,
): (stop: AbortSignal) => Promise<void> {
  const edgar = edgarOf(config)
  if (!edgar) {
    log.info('live mode is off: set EDGAR_USER_AGENT to your name and contact, as the SEC asks')
    return async () => {}
  }
  connectEdgar(container, edgar, config.edgarPollSeconds)
  const following: Following = { config, databaseUrl, log, ...resolve(container, SERVICES) }
  return (stop) => follow(following, stop)
}

async function follow(following: Following, stop: AbortSignal): Promise<void> {
  const { config, databaseUrl, sourceProgress, followEdgar, catchUp, log } = following
  while (!stop.aborted) {
    // The lock is lost with its connection, and another process can take it then.
    const lock = await acquire(databaseUrl, TRY_AGAIN_MS, 'edgar').catch(() => null)
    const isRecorded =
      lock &&
      (await recordSource(config, sourceProgress).then(
        () => true,
        () => false,
      ))
    if (!lock || !isRecorded) {
      await lock?.release().catch(() => {})
      await sleep(TRY_AGAIN_MS, undefined, { signal: stop }).catch(() => {})
      continue
    }
    const lost = new AbortController()
    void lock.lost.then(() => lost.abort())
    const signal = AbortSignal.any([stop, lost.signal])
    const problem = (reason: string) => log.warn({ reason }, 'catch-up failed')
    await Promise.all([
      followEdgar.watch(signal, reporting(log)),
      followEdgar.fetch(signal, reporting(log)),
      catchUp.run(signal, (day) => log.info(day, 'daily index read'), problem),
      refreshList(following, signal),
      findSectors(following, signal),
    ])
    await lock.release().catch(() => {})
  }
}

function reporting(log: Logger): FollowReport {
  return {
    found: (filings) => log.debug({ filings }, 'filings found'),
    recorded: (accession, outcome) => log.info({ accession, outcome }, 'filing fetched'),
    problem: (what, reason) => log.warn({ what, reason }, 'EDGAR request failed'),
  }
}

/**
 * Fetches missing sectors. Once a day it also queues the job that looks for issuers without one, in case the job was
 * not queued when their filings came.
 */
async function findSectors({ fetchSectors, jobs, log }: Following, signal: AbortSignal): Promise<void> {
  const fetching = fetchSectors.run(signal, (issuer, reason) =>
    log.warn({ issuer, reason }, 'could not fetch the sector of an issuer'),
  )
  while (!signal.aborted) {
    const isQueued = await jobs.queueOnce('sectors').then(
      () => true,
      () => false,
    )
    await sleep(isQueued ? LIST_EVERY_MS : TRY_AGAIN_MS, undefined, { signal }).catch(() => {})
  }
  await fetching
}

/** Downloads the company list if it changed. A job updates ClickHouse, as with a list loaded by a command. */
async function refreshList(
  { edgar, sourceProgress, companyList, jobs, log }: Following,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const pause = await (async () => {
      const loadedVersion = JSON.parse((await sourceProgress.position('company-list')) ?? 'null')
      const answer = await edgar.companyList(loadedVersion, signal)
      if (answer.kind === 'unchanged') return LIST_EVERY_MS
      if (answer.kind !== 'ok') throw new Error(answer.reason)
      const { bytes, version } = answer.value
      const companies = parseCompanyList(bytes.toString('utf8'))
      await companyList.replace(companies, 'EDGAR', createHash('sha256').update(bytes).digest())
      await jobs.queue('companies')
      await sourceProgress.move('company-list', JSON.stringify(version))
      return LIST_EVERY_MS
    })().catch((error: Error) => {
      if (!signal.aborted) log.warn({ reason: error.message }, 'could not refresh the company list')
      return LIST_RETRY_MS
    })
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}
