// A table that scrolls sideways where the window is narrower. A row that has more to say opens in place.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Opener } from './opener.tsx'

/** The title of a column, and the class of its cells. */
export type Column = readonly [title: string, kind?: 'number' | 'day' | 'wide']

interface Row {
  cells: readonly ComponentChildren[]
  more?: () => ComponentChildren
}

interface TableProps {
  caption: string
  columns: readonly Column[]
  rows: readonly Row[]
}

export function Table({ caption, columns, rows }: TableProps) {
  return (
    <div class="scroller" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="sr">{caption}</caption>
        <thead>
          <tr>
            {columns.map(([title, kind]) => (
              <th key={title} scope="col" class={kind}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <TableRow key={index} columns={columns} {...row} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function TableRow({ columns, cells, more }: Row & { columns: readonly Column[] }) {
  const isOpen = useSignal(false)
  return (
    <>
      <tr>
        {cells.map((cell, place) => (
          <td key={place} class={columns[place]?.[1]}>
            {place === 0 && more ? <Opener isOpen={isOpen}>{cell}</Opener> : cell}
          </td>
        ))}
      </tr>
      {more && isOpen.value && (
        <tr class="detail">
          <td colSpan={columns.length}>{more()}</td>
        </tr>
      )}
    </>
  )
}

interface FoldedProps<Each> {
  all: readonly Each[]
  /** How many are shown at first. */
  most: number
  /** What they are, in the plural. */
  noun: string
  children: (shown: readonly Each[]) => ComponentChildren
}

/** The first of some things, with a button that shows all. */
export function Folded<Each>({ all, most, noun, children }: FoldedProps<Each>) {
  const isAll = useSignal(false)
  return (
    <>
      {children(isAll.value ? all : all.slice(0, most))}
      {all.length > most && (
        <button type="button" aria-expanded={isAll.value} class="plain" onClick={() => (isAll.value = !isAll.value)}>
          {isAll.value ? `Fewer ${noun}` : `${all.length - most} more ${noun}`}
        </button>
      )}
    </>
  )
}
