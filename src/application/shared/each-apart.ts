// Work on a batch of which one item may be at fault.
import { ServiceError } from '../errors.ts'

/**
 * Runs `work` on all items together or, if that fails, on each alone, in their order, so that an item at fault delays no
 * other; `failed` receives those. An error that is no fault of an item's is thrown, by default that of a store that does
 * not respond.
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
