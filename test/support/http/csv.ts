// CSV by the letter of RFC 4180.
import { assert } from 'chai'

/** Returns the cells of each line. Throws where the text is no CSV. */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = []
  let cells: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  for (let at = 0; at < text.length; at = cell.lastIndex) {
    cell.lastIndex = at
    const [, quoted, plain, end] = cell.exec(text) ?? assert.fail(`not CSV at ${at}`)
    cells.push(quoted?.replaceAll('""', '"') ?? plain!)
    if (end === ',') continue
    lines.push(cells)
    cells = []
  }
  assert.isEmpty(cells)
  return lines
}
