// Ports of the month files: what they are made from (ClickHouse), what is known of their extent (PostgreSQL), and the
// folder that they lie in.
import type { components } from '../../contract.ts'
import type { FormType } from '../../domain/filings/filing.ts'
import type { AccessionNumber, Cik } from '../../domain/shared/identifiers.ts'

export const DATASETS = [
  'transactions',
  'transaction-versions',
  'signals',
  'filings',
  'derivatives',
  'holdings',
  'balances',
  'notices',
  'symbols',
  'companies',
] as const
export type DatasetName = (typeof DATASETS)[number]

type Schemas = components['schemas']
export type ExportColumn = Schemas['ExportedColumn']

/** What is in a dataset, the same for all its files. */
export interface DatasetDescription extends Pick<Schemas['ExportedDataset'], 'row' | 'schemaVersion' | 'columns'> {
  name: DatasetName
}

/** A part of a dataset that is a file of its own. */
export interface ExportPart {
  /** A month such as `2026-10`, or `all`. */
  period: string
  /** Another one than before where a row may have changed; null where only the file itself shows it. */
  source: string | null
}

/** What the files are made from (ClickHouse). */
export interface ExportSource {
  describe(dataset: DatasetName): DatasetDescription
  /** Returns the parts that have rows, or filings that may have some, in their order. */
  parts(dataset: DatasetName): Promise<ExportPart[]>
  /** Makes the Parquet files of a period, each once, in any order: the same bytes for the same rows. */
  files(period: string, datasets: DatasetName[]): AsyncIterable<MadeFile>
}

export interface MadeFile {
  dataset: DatasetName
  bytes: Buffer
  rows: number
  sha256: string
  /** Filings of the period whose rows are not known. */
  leftOut: number
}

/** What the record knows of the files' extent (PostgreSQL). */
export interface ExportRecord {
  /** Returns the present position of the log of changes. */
  position(): Promise<string>
  /** Returns those of these months of which no Form 4 or 4/A is known to be missing, and whether no Form 3 or 5 and
   * no notice is. */
  wholeMonths(months: string[]): Promise<{ month: string; ofAllForms: boolean; ofNotices: boolean }[]>
  /** Returns when this service first had the documents that were filed in a month, in seconds, by accession number. */
  seenAt(month: string): Promise<[accession: string, seenAt: number][]>
  /** Returns those of these filings whose document is stored, in batches that memory holds. */
  documents(accessions: AccessionNumber[]): AsyncIterable<PackedFiling[]>
}

/** A filing with its document, compressed as it is stored. Times in seconds since 1970. */
export interface PackedFiling {
  accession: AccessionNumber
  document: Uint8Array
  source: string
  seenAt: number
  filedAt: number
  filedBasis: string
}

/** The datasets whose rows are read from the filings. */
export const STAGED_DATASETS = ['derivatives', 'holdings', 'balances'] as const
export type StagedDataset = (typeof STAGED_DATASETS)[number]

/** Filings of a month in the order of the list, the newest first. */
export interface MonthFiling {
  accession: AccessionNumber
  filedAt: number
  issuerCik: Cik
  form: FormType
}

/** Rows of filings, as the store takes them: each body by one insert. */
export interface StagedRows {
  /** The filings that were read. */
  read: AccessionNumber[]
  inserts: Uint8Array<ArrayBuffer>[]
}

/** A file as the manifest has it. */
export interface ExportFile extends Omit<Schemas['ExportedFile'], 'url' | 'pinnedUrl'> {
  /** Where it lies in the folder. */
  path: string
  /** As in ExportPart. */
  source: string | null
  /** As in MadeFile; absent for none. */
  leftOut?: number
}

/** A file that another took the place of, and that is still served under its revision. */
export interface RetiredFile {
  path: string
  retiredAt: string
  /** Absent where an earlier version retired it. */
  bytes?: number
}

/** What the folder holds; a file that it names is there whole. */
export interface ExportManifest {
  madeAt: string
  /** Of the log of changes: what follows it may not be in the files. */
  position: string
  datasets: (DatasetDescription & { files: ExportFile[] })[]
  retired: RetiredFile[]
}

export interface RunOptions {
  /** Files that stay although the manifest does not name them. */
  kept?: string[]
  /** That are known to be written. */
  bytes?: number
}

/** The folder of the files, written by one process at a time. */
export interface ExportFolder {
  /** Returns what the folder holds; null before it was first filled. */
  manifest(): Promise<ExportManifest | null>
  /** Returns whether a file is there with all its bytes. */
  has(file: Pick<ExportFile, 'path' | 'bytes'>): Promise<boolean>
  /**
   * Runs `work`, which stores files, and removes these where it fails. Removes first what earlier runs left; throws if
   * the disk has too little space.
   */
  run<T>(options: RunOptions, work: () => Promise<T>): Promise<T>
  /** Stores the bytes. Once it resolves they outlast a crash. */
  write(path: string, bytes: Buffer): Promise<void>
  /** Replaces the manifest, then removes files that it does not name. */
  publish(manifest: ExportManifest): Promise<void>
}
