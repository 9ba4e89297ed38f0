// Writes packages as npm takes them: a tar archive (POSIX ustar) of files below package/, compressed by gzip. The same
// files give the same bytes.
import { gzipSync } from 'node:zlib'

const BLOCK = 512

/** Returns the archive of files by their paths, which have at most 90 characters. */
export function tarball(files: ReadonlyMap<string, Buffer | string>): Buffer {
  const parts = [...files].flatMap(([path, content]) => {
    const bytes = Buffer.from(content)
    return [header(`package/${path}`, bytes.length), bytes, Buffer.alloc(-bytes.length & (BLOCK - 1))]
  })
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 })
}

function header(path: string, size: number): Buffer {
  if (path.length > 98) throw new Error(`the path is too long for the archive: ${path}`)
  const block = Buffer.alloc(BLOCK)
  const number = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  block.write(path, 0)
  block.write(number(0o644, 8) + number(0, 8) + number(0, 8) + number(size, 12) + number(0, 12), 100)
  // The checksum counts its own field as blanks.
  block.write('        0', 148)
  block.write('ustar\x0000', 257)
  block.write(
    `${number(
      block.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
  )
  return block
}
