// The files of a data set that only the answers for single filings are made from.
import type { DataSetFile, DataSetFiles, DetailFile, LoadedSet } from '../ports/data-sets.ts'

/** Returns the files by name; null if the data set lacks one: then what it says of a filing is not whole. */
export function detailFiles(files: DataSetFiles): Record<DetailFile, DataSetFile> | null {
  const { DERIV_TRANS, DERIV_HOLDING, NONDERIV_HOLDING, FOOTNOTES, OWNER_SIGNATURE } = files
  return DERIV_TRANS && DERIV_HOLDING && NONDERIV_HOLDING && FOOTNOTES && OWNER_SIGNATURE
    ? { DERIV_TRANS, DERIV_HOLDING, NONDERIV_HOLDING, FOOTNOTES, OWNER_SIGNATURE }
    : null
}

/** Returns whether the quarter is loaded with them, or without any: earlier versions loaded the other files only. */
export function hasDetails({ status, result }: LoadedSet): boolean {
  return status === 'loaded' && 'FOOTNOTES' in (result as { lines: Record<DetailFile, number> }).lines
}
