// The projection of a batch as a step of a trace.
import type { PendingDocument } from '../ports/filings.ts'
import type { Traced } from '../ports/system.ts'

/** Names the step by the filing where it is one, as live; in bulk by how many they are. */
export function projectTraced(
  traced: Traced | undefined,
  documents: PendingDocument[],
  project: () => Promise<void>,
): Promise<void> {
  const [document, ...others] = documents
  if (traced === undefined || document === undefined) return project()
  const { accession } = document
  if (others.length === 0) return traced('project filing', { accession }, project)
  return traced('project filings', { filings: documents.length }, project)
}
