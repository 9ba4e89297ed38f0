// The maker of the month files: what may have changed is made again, what did change is stored beside what it replaces,
// and last the manifest is replaced. Killed anywhere, the manifest names files that are there whole.
import {
  DATASETS,
  type DatasetName,
  type ExportFile,
  type ExportFolder,
  type ExportManifest,
  type ExportPart,
  type ExportRecord,
  type ExportSource,
  type MadeFile,
  type RetiredFile,
} from '../ports/exports.ts'
import type { Clock, Progress } from '../ports/system.ts'

export interface ExportsResult {
  /** Files in the folder. */
  files: number
  /** Of these, those that are new or have other bytes than before. */
  changed: number
  rows: number
  bytes: number
}

/** Makes the files in the folder of the service, or in another one. */
export type ExportMaker = (progress: Progress, folder?: ExportFolder) => Promise<ExportsResult>

interface ExportMakerDependencies {
  source: ExportSource
  record: ExportRecord
  folder: ExportFolder
  clock: Clock
  /** Runs before each file, so that new filings and their signals do not wait for all of them. */
  between: () => Promise<unknown>
}

/** The forms that a dataset is made of: its months are complete with all filings of these. */
const FORMS_OF: Readonly<Record<DatasetName, 'form4' | 'allForms' | 'notices'>> = {
  transactions: 'form4',
  'transaction-versions': 'form4',
  signals: 'form4',
  filings: 'allForms',
  symbols: 'allForms',
  companies: 'allForms',
  derivatives: 'allForms',
  holdings: 'allForms',
  notices: 'notices',
  balances: 'allForms',
}

/** Files that were replaced are served for this long. */
const RETIRED_MS = 30 * 86_400_000

export function makeExportMaker({ source, record, folder: own, clock, between }: ExportMakerDependencies): ExportMaker {
  const make = async (progress: Progress, folder: ExportFolder): Promise<ExportsResult> => {
    const before = await folder.manifest()
    // Before anything is read: what is written meanwhile comes again after this position.
    const position = await record.position()
    const now = clock()
    const plan = await Promise.all(DATASETS.map(async (dataset) => ({ dataset, parts: await source.parts(dataset) })))
    const months = [...new Set(plan.flatMap(({ parts }) => parts.map(({ period }) => period)))]
    const whole = await record.wholeMonths(months.filter((period) => isOver(period, now)))
    const wholeOf = {
      form4: new Set(whole.map(({ month }) => month)),
      allForms: new Set(whole.flatMap(({ month, ofAllForms }) => (ofAllForms ? [month] : []))),
      notices: new Set(whole.flatMap(({ month, ofNotices }) => (ofNotices ? [month] : []))),
    }
    const descriptions = plan.map(({ dataset }) => source.describe(dataset))
    const total = plan.reduce((parts, each) => parts + each.parts.length, 0)
    const files = new Map<string, ExportFile>()
    let changed = 0
    const keep = (due: DueFile, file: ExportFile) => {
      if (file.changedAt !== due.last?.changedAt) changed += 1
      files.set(
        `${due.dataset}/${due.part.period}`,
        Object.assign(file, { complete: wholeOf[FORMS_OF[due.dataset]].has(due.part.period) && !file.leftOut }),
      )
      progress(files.size, total)
    }
    progress(0, total)
    // By period, so that what several files are made from is read once.
    for (const period of months.toSorted()) {
      const due: DueFile[] = []
      for (const [place, { dataset, parts }] of plan.entries()) {
        const part = parts.find((each) => each.period === period)
        if (!part) continue
        const known = before?.datasets.find(({ name }) => name === dataset)
        const isSameShape = JSON.stringify(known?.columns) === JSON.stringify(descriptions[place]!.columns)
        const last = known?.files.find((each) => each.period === period)
        if (isSameShape && last && (await isCurrent(folder, last, part))) keep({ dataset, part, last }, { ...last })
        else due.push({ dataset, part, last })
      }
      await between()
      for await (const made of source.files(
        period,
        due.map(({ dataset }) => dataset),
      )) {
        const of = due.find(({ dataset }) => dataset === made.dataset)!
        keep(of, await stored(folder, of, made, now))
        await between()
      }
    }
    const datasets = plan.map(({ dataset, parts }, place) => ({
      ...descriptions[place]!,
      files: parts.map(({ period }) => files.get(`${dataset}/${period}`)!),
    }))
    await folder.publish({ madeAt: stamp(now), position, datasets, retired: retiredFiles(before, datasets, now) })
    const all = [...files.values()]
    return { files: all.length, changed, rows: sum(all, 'rows'), bytes: sum(all, 'bytes') }
  }
  return (progress, folder = own) => folder.run({}, () => make(progress, folder))
}

async function isCurrent(folder: ExportFolder, last: ExportFile, { source }: ExportPart): Promise<boolean> {
  return source !== null && last.source === source && (await folder.has(last))
}

/** A file that is to be made, or kept. */
interface DueFile {
  dataset: DatasetName
  part: ExportPart
  last: ExportFile | undefined
}

/** Stores a file, unless it is what lies there already. */
async function stored(
  folder: ExportFolder,
  { dataset, part, last }: DueFile,
  { bytes, rows, sha256, leftOut }: MadeFile,
  now: number,
): Promise<ExportFile> {
  const revision = sha256.slice(0, 16)
  const path = `${dataset}/${part.period}.${revision}.parquet`
  const made = {
    ...{ ...part, rows, bytes: bytes.length, sha256, revision, path, complete: false },
    ...(leftOut > 0 && { leftOut }),
  }
  if (last?.sha256 === sha256 && (await folder.has(last))) return { ...made, changedAt: last.changedAt }
  await folder.write(path, bytes)
  return { ...made, changedAt: last?.sha256 === sha256 ? last.changedAt : stamp(now) }
}

/** Returns what is served besides: what was replaced now, or not too long ago. */
function retiredFiles(before: ExportManifest | null, datasets: ExportManifest['datasets'], now: number): RetiredFile[] {
  const present = new Set(datasets.flatMap(({ files }) => files.map(({ path }) => path)))
  const replaced = (before?.datasets ?? []).flatMap(({ files }) =>
    files.map(({ path, bytes }) => ({ path, retiredAt: stamp(now), bytes })),
  )
  return [...(before?.retired ?? []), ...replaced].filter(
    ({ path, retiredAt }) => !present.has(path) && Date.parse(retiredAt) > now - RETIRED_MS,
  )
}

/** Returns whether a month has ended, with a day for what comes late. */
function isOver(period: string, now: number): boolean {
  if (period === 'all') return false
  const [year, month] = period.split('-').map(Number)
  return Date.UTC(year!, month, 2) <= now
}

const stamp = (now: number): string => `${new Date(now).toISOString().slice(0, 19)}Z`
const sum = (files: ExportFile[], name: 'rows' | 'bytes') => files.reduce((all, file) => all + file[name], 0)
