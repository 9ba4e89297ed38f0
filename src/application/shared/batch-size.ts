// Sizes of batches whose memory follows the stored trades of their issuers, which are known only once a batch is read.

/**
 * Returns how many items the next batch should have, at least 1, by the trades that were read for the last one. A batch
 * smaller than planned says too little of trades to plan a larger one.
 */
export function nextBatchSize(
  planned: number,
  last: { items: number; trades: number },
  limits: { trades: number; items: number },
): number {
  const { items, trades } = last
  if (items < planned && trades <= limits.trades) return planned
  const next = Math.round((items * limits.trades) / Math.max(trades, 1))
  return Math.min(Math.max(next, 1), 4 * items, limits.items)
}
