import type { V1Handlers } from '@dexfeed/contract'
import { fixedText, type Hex, isoTime, type NetworkName, present, usdE8Of, usdText } from '@dexfeed/dex'
import type { CatalogPlace, CatalogSearch, Found, IndexedNetwork } from '@dexfeed/store'
import { indexedBlocks, indexedOf } from '../../service/freshness.ts'
import { type AgeFlow, flowsOf } from '../figures/age-flows.ts'
import type { FiguresBoard } from '../figures/figures-board.ts'
import { pacer } from '../figures/in-steps.ts'
import {
  type FigureRow,
  type ListOrder,
  type RankedPlace,
  type Ranking,
  ranked,
  ranking,
  walk,
} from '../figures/ranking.ts'
import { compareWhole } from '../figures/table/columns.ts'
import {
  type Figures,
  FigureTable,
  type NetworkFigures,
  noFigures,
  type OrderBy,
} from '../figures/table/figure-table.ts'
import type { Counted, Traders } from '../figures/trader-counts.ts'

/** Up to FEW matching rows are sorted. With more, the sorted rows are checked against the filter, query by query. */
const FEW = 5_000
const QUERY_ROWS = 1_000
const MAX_QUERIES = 10

type ListPools = Parameters<V1Handlers['listPools']>
type FigureFilters = Pick<ListPools[0], 'network' | 'order_by' | 'min_volume' | 'min_liquidity' | 'created_after'>
type Scan = ListPools[1]
type Place = NonNullable<Scan['from']>

export type Addressed = { network: NetworkName; address: Hex }

export interface Catalog<Filter extends object, Row> {
  kind: 'tokens' | 'pools'
  board: FiguresBoard
  find(search: CatalogSearch<Filter & { among?: readonly Hex[] }>): Promise<Found<Row>>
  /** Whose traders are counted. */
  counted(row: Row, figures: Figures, network: IndexedNetwork): Counted
}

export interface FiguredRow<Row> {
  row: Row & Addressed
  figures: Figures
}

export interface CatalogPage<Row> {
  rows: readonly (FiguredRow<Row> & { traders: Traders })[]
  reached: Place | null
  headers: Record<string, string>
}

export async function catalogPage<Filter extends object, Row extends { address: Hex }>(
  catalog: Catalog<Filter, Row>,
  filter: Filter,
  filters: FigureFilters,
  scan: Scan,
): Promise<CatalogPage<Row>> {
  const { network } = filters
  const boards = catalog.board.of(network)
  const networks = boards.map((networkFigures) => networkFigures.network)
  if (network !== undefined) indexedOf(network, networks)
  const headers = { 'X-Indexed-Block': indexedBlocks(networks) }
  const figuresOf = figuresAmong(boards, catalog.kind)
  const { order_by, min_volume, min_liquidity, created_after } = filters
  if ([order_by, min_volume, min_liquidity, created_after].some((each) => each !== undefined)) {
    const page = await rankedPage(catalog, filter, { filters, scan, boards, figuresOf })
    return { ...page, rows: await withTraders(catalog, page.rows, boards), headers }
  }
  const page = { ascending: scan.order === 'asc', from: placeOf(scan.from), limit: scan.limit }
  const found = await catalog.find({ filter, ...(network && { network }), ...page })
  const rows = found.rows.map((row) => ({ row, figures: figuresOf(row) }))
  return {
    rows: await withTraders(catalog, rows, boards),
    reached: found.reached && [found.reached.network, found.reached.address, found.reached.side, null],
    headers,
  }
}

async function withTraders<Filter extends object, Row>(
  { counted }: Catalog<Filter, Row>,
  rows: readonly FiguredRow<Row>[],
  boards: readonly NetworkFigures[],
): Promise<CatalogPage<Row>['rows']> {
  const traders = new Map<FiguredRow<Row>, Traders>()
  const read = boards.map(async ({ network, traders: counts }) => {
    const own = rows.filter(({ row }) => row.network === network.network)
    const found = await counts.of(own.map(({ row, figures }) => ({ counted: counted(row, figures, network), figures })))
    for (const [n, row] of own.entries()) traders.set(row, found[n] ?? [])
  })
  await Promise.all(read)
  return rows.map((row) => ({ ...row, traders: traders.get(row) ?? [] }))
}

export type FiguresOf = (of: Addressed) => Figures

export function figuresAmong(boards: readonly NetworkFigures[], kind: 'tokens' | 'pools'): FiguresOf {
  const tables = new Map(boards.map((networkFigures) => [networkFigures.network.network, networkFigures[kind]]))
  return ({ network, address }) => {
    const table = tables.get(network)
    const row = table?.find(address) ?? null
    return table === undefined || row === null ? noFigures(address) : table.at(row)
  }
}

interface RankedSearch {
  filters: FigureFilters
  scan: Scan
  boards: readonly NetworkFigures[]
  figuresOf: FiguresOf
}

async function rankedPage<Filter extends object, Row extends { address: Hex }>(
  catalog: Catalog<Filter, Row>,
  filter: Filter,
  { filters, scan, boards, figuresOf }: RankedSearch,
): Promise<{ rows: FiguredRow<Row>[]; reached: Place | null }> {
  const { network, order_by: by = null } = filters
  const isAscending = scan.order === 'asc'
  const order: ListOrder = isAscending === !scan.isReversed ? 'asc' : 'desc'
  const isFiltered = Object.keys(filter).length > 0
  const all = { ascending: true, from: null, ...(network && { network }) }
  const few = isFiltered ? await catalog.find({ filter, ...all, limit: FEW }) : null
  const known = few?.reached === null ? byName(few.rows) : null
  const rankings = known
    ? await rankingsOf([...known.values()], figuresOf, by)
    : await Promise.all(boards.map((networkFigures) => ranking(networkFigures[catalog.kind], by)))
  const candidates = walk(rankings, order, { ascending: isAscending, from: rankedPlaceOf(scan.from) })
  const size = isFiltered && known === null ? QUERY_ROWS : scan.limit + 1
  const rows: FiguredRow<Row>[] = []
  let reached: FigureRow | null = null
  for (let queries = 1; ; queries++) {
    const some = await take(candidates, size, meeting(filters))
    const found = known ?? byName(await findAmong(catalog, filter, some))
    for (const figureRow of some) {
      const row = found.get(nameOf(addressed(figureRow)))
      if (row === undefined) continue
      if (rows.length === scan.limit && reached) return { rows, reached: cursorOf(reached, scan) }
      rows.push({ row, figures: figureRow.table.at(figureRow.row) })
      reached = figureRow
    }
    const last = some.at(-1)
    if (some.length < size || last === undefined) return { rows, reached: null }
    if (queries === MAX_QUERIES) return { rows, reached: cursorOf(last, scan) }
  }
}

async function rankingsOf(found: readonly Addressed[], figuresOf: FiguresOf, by: OrderBy | null): Promise<Ranking[]> {
  const tables = new Map<NetworkName, FigureTable>()
  const pause = pacer()
  for (const addressed of found) {
    const table = tables.get(addressed.network) ?? new FigureTable(addressed.network)
    tables.set(addressed.network, table)
    table.push(figuresOf(addressed))
    const turned = pause()
    if (turned) await turned
  }
  return Promise.all([...tables.values()].map((table) => ranked(table, by)))
}

function meeting({ min_volume, min_liquidity, created_after }: FigureFilters): (figureRow: FigureRow) => boolean {
  const minimums: [OrderBy, bigint][] = []
  if (min_volume !== undefined) minimums.push(['volume', usdE8Of(min_volume)])
  if (min_liquidity !== undefined) minimums.push(['liquidity', usdE8Of(min_liquidity)])
  if (created_after !== undefined) minimums.push(['created', BigInt(created_after)])
  return ({ table, row }) => minimums.every(([by, least]) => compareWhole(table.key(by, row), least) >= 0)
}

async function take(
  candidates: Iterator<FigureRow, void>,
  count: number,
  meets: (figureRow: FigureRow) => boolean,
): Promise<FigureRow[]> {
  const taken: FigureRow[] = []
  const pause = pacer()
  while (taken.length < count) {
    const next = candidates.next()
    if (next.done) break
    if (meets(next.value)) taken.push(next.value)
    const turned = pause()
    if (turned) await turned
  }
  return taken
}

async function findAmong<Filter extends object, Row>(
  { find }: Catalog<Filter, Row>,
  filter: Filter,
  some: readonly FigureRow[],
): Promise<(Row & { network: NetworkName })[]> {
  const rows: (Row & { network: NetworkName })[] = []
  for (const table of new Set(some.map((figureRow) => figureRow.table))) {
    const { network } = table
    const among = some.filter((figureRow) => figureRow.table === table).map((figureRow) => addressed(figureRow).address)
    const page = { ascending: true, from: null, limit: among.length }
    rows.push(...(await find({ filter: { ...filter, among }, network, ...page })).rows)
  }
  return rows
}

function byName<Row extends Addressed>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [nameOf(row), row]))
}

function addressed({ table, row }: FigureRow): Addressed {
  return { network: table.network, address: table.address(row) }
}

export function nameOf({ network, address }: Addressed): string {
  return `${network} ${address}`
}

function placeOf(at: Place | null): CatalogPlace | null {
  if (at === null) return null
  const [network, address, side] = at
  return { network, address: address as Hex, side }
}

function rankedPlaceOf(at: Place | null): RankedPlace | null {
  if (at === null) return null
  const [network, address, side, key] = at
  return { network, address: address as Hex, side, key: key === null ? null : BigInt(key) }
}

function cursorOf(figureRow: FigureRow, { order }: Scan): Place {
  const { key } = figureRow
  const { network, address } = addressed(figureRow)
  return [network, address, order === 'asc' ? 'after' : 'before', key === null ? null : String(key)]
}

const PERCENT_DIGITS = 4

export function figureFields(figures: Figures) {
  const { priceUsd, changesE4, volumeE8, swaps, unpriced, liquidityE8, firstSeen } = figures
  const [minutes, hour, hours, day] = changesE4.map((change) =>
    change === null ? null : fixedText(change, PERCENT_DIGITS),
  )
  return {
    price_usd: priceUsd,
    price_change_5m: minutes ?? null,
    price_change_1h: hour ?? null,
    price_change_6h: hours ?? null,
    price_change_24h: day ?? null,
    volume_24h_usd: usdText(volumeE8),
    swaps_24h: swaps,
    unpriced_swaps_24h: unpriced,
    liquidity_usd: liquidityE8 === null ? null : usdText(liquidityE8),
    first_seen: firstSeen === null ? null : isoTime(firstSeen),
  }
}

export function flowField(figures: Figures, traders: Traders) {
  const [minutes, hour, hours, day] = flowsOf(figures).map((flow, age) => flowWindow(flow, traders[age] ?? null))
  return { '5m': present(minutes), '1h': present(hour), '6h': present(hours), '24h': present(day) }
}

function flowWindow({ swaps, volumeE8, buys, sells, buyVolumeE8, sellVolumeE8 }: AgeFlow, traders: Traders[number]) {
  const usd = (e8: bigint | null) => (e8 === null ? null : usdText(e8))
  return {
    swaps,
    volume_usd: usdText(volumeE8),
    buys,
    sells,
    buy_volume_usd: usd(buyVolumeE8),
    sell_volume_usd: usd(sellVolumeE8),
    buyers: traders?.buyers ?? null,
    sellers: traders?.sellers ?? null,
    traders: traders?.traders ?? null,
  }
}
