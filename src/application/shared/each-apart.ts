// Work on a batch of which one item may be at fault.
import { ServiceError } from '../errors.ts'

/**
 * Runs `work` on all items together or, if that fails, on each alone, in their order. `failed` receives the items that
 * fail alone, so that they delay no others. An error that is not an item's fault is thrown; by default that is a
 * `ServiceError`, such as a store that does not respond.
 */
export async function eachApart<Item>(
  items: Item[],
  work: (items: Item[]) => Promise<unknown>,
  failed: (item: Item, error: unknown) => unknown,
  isItemsFault = (error: unknown) => !(error instanceof ServiceError),
): Promise<void> {
  try {
    await work(items)
  } catch (error) {
    if (!isItemsFault(error)) throw error
    if (items.length === 1) await failed(items[0]!, error)
    else for (const item of items) await eachApart([item], work, failed, isItemsFault)
  }
}
