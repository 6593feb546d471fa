import type { ComponentChildren } from 'preact'
import { Empty } from './notices.tsx'

export interface Column<Row> {
  head: ComponentChildren
  cell: (row: Row) => ComponentChildren
  numeric?: boolean
  /** Hidden on narrow screens. */
  wideOnly?: boolean
}

interface DataTableProps<Row> {
  /** For screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  classOf?: (row: Row) => string | undefined
  /** Shown instead of an empty table. */
  empty: string
}

export function DataTable<Row>({ caption, columns, rows, keyOf, classOf, empty }: DataTableProps<Row>) {
  if (rows.length === 0) return <Empty title={empty} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls inside its card, also by keyboard
    <section class="table-scroll" aria-label={`Table: ${caption}`} tabIndex={0}>
      <table>
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={at} scope="col" class={classesOf(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} class={classOf?.(row)}>
              {columns.map((column, at) => (
                <td key={at} class={classesOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function classesOf<Row>({ numeric, wideOnly }: Column<Row>): string | undefined {
  const classes = [numeric ? 'numeric' : '', wideOnly ? 'wide-only' : ''].filter((name) => name !== '')
  return classes.length === 0 ? undefined : classes.join(' ')
}
