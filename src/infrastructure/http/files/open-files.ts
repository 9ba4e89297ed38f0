// Files that are kept open between requests: readers of parts ask for the same few, many times each. A file under its
// path never changes; what takes its place has a path of its own.
import { open, type FileHandle } from 'node:fs/promises'

const MOST_OPEN = 64

interface OpenFile {
  handle: FileHandle
  size: number
  users: number
}

export class OpenFiles {
  /** The one used last comes last. */
  readonly #files = new Map<string, Promise<OpenFile>>()

  /** Runs `act` with the open file. Throws what opening it throws. */
  async use<T>(path: string, act: (file: { handle: FileHandle; size: number }) => Promise<T>): Promise<T> {
    const opening = this.#files.get(path) ?? opened(path)
    this.#files.delete(path)
    this.#files.set(path, opening)
    const file = await opening.catch((error: unknown) => {
      if (this.#files.get(path) === opening) this.#files.delete(path)
      throw error
    })
    file.users += 1
    try {
      return await act(file)
    } finally {
      file.users -= 1
      await this.#closeIdle()
    }
  }

  async #closeIdle(): Promise<void> {
    for (const [path, opening] of this.#files) {
      if (this.#files.size <= MOST_OPEN) return
      const file = await opening.catch(() => null)
      if (file === null || file.users > 0 || this.#files.get(path) !== opening) continue
      this.#files.delete(path)
      await file.handle.close()
    }
  }
}

async function opened(path: string): Promise<OpenFile> {
  const handle = await open(path, 'r')
  const { size } = await handle.stat()
  return { handle, size, users: 0 }
}
