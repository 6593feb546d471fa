import type { ComponentChildren } from 'preact'
import { Empty } from './notices.tsx'

export interface Column<Row> {
  head: ComponentChildren
  cell: (row: Row) => ComponentChildren
  numeric?: boolean
  /** Hidden on narrow screens. */
  wideOnly?: boolean
  /** Lets the user sort by the column, under this name. */
  sort?: string
}

export interface Sorting {
  by: string
  order: 'asc' | 'desc'
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
  sorting?: Sorting
  onSort?: (sorting: Sorting) => void
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, keyOf, classOf, empty, sorting, onSort } = props
  if (rows.length === 0) return <Empty title={empty} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls inside its card, also by keyboard
    <section class="table-scroll" aria-label={`Table: ${caption}`} tabIndex={0}>
      <table>
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={at} scope="col" class={classesOf(column)} aria-sort={ariaSort(column, sorting)}>
                {column.sort !== undefined && onSort !== undefined ? (
                  <SortButton head={column.head} by={column.sort} sorting={sorting} onSort={onSort} />
                ) : (
                  column.head
                )}
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

interface SortButtonProps {
  head: ComponentChildren
  by: string
  sorting: Sorting | undefined
  onSort: (sorting: Sorting) => void
}

/** Sorts by its column, largest first, or turns the order round. */
function SortButton({ head, by, sorting, onSort }: SortButtonProps) {
  const order = sorting?.by === by ? sorting.order : null
  return (
    <button type="button" class="sort" onClick={() => onSort({ by, order: order === 'desc' ? 'asc' : 'desc' })}>
      {head}
      <span aria-hidden="true">{order === null ? '' : order === 'desc' ? ' ↓' : ' ↑'}</span>
    </button>
  )
}

function ariaSort<Row>({ sort }: Column<Row>, sorting: Sorting | undefined): 'ascending' | 'descending' | undefined {
  if (sort === undefined || sort !== sorting?.by) return undefined
  return sorting.order === 'asc' ? 'ascending' : 'descending'
}

function classesOf<Row>({ numeric, wideOnly }: Column<Row>): string | undefined {
  const classes = [numeric ? 'numeric' : '', wideOnly ? 'wide-only' : ''].filter((name) => name !== '')
  return classes.length === 0 ? undefined : classes.join(' ')
}
