import type { V1Handlers } from '@dexfeed/contract'
import { type Hex, type NetworkName, usdE8Of } from '@dexfeed/dex'
import type { CatalogPlace, CatalogSearch, Found } from '@dexfeed/store'
import { indexedBlocks } from '../service/freshness.ts'
import { checkIndexed } from './check-indexed.ts'
import type { FiguresBoard } from './figures/figures-board.ts'
import { pacer } from './figures/in-steps.ts'
import { type Figures, type NetworkFigures, noFigures } from './figures/network-figures.ts'
import { type RankedPlace, ranked, rankedBy, ranking, walk } from './figures/ranking.ts'

/** Where no more than so many meet a filter, they are put in order; else those in order are asked whether they meet it. */
const FEW = 5_000
const ASKED_AT_ONCE = 1_000
const QUESTIONS = 10

type ListTokens = Parameters<V1Handlers['listTokens']>
type FigureFilters = Pick<ListTokens[0], 'network' | 'order_by' | 'min_volume' | 'min_liquidity'>
type Scan = ListTokens[1]
type Place = NonNullable<Scan['from']>

type Addressed = { network: NetworkName; address: Hex }

/** Tokens or pools: those that the database finds, and their figures. */
export interface Catalog<Filter extends object, Row> {
  kind: 'tokens' | 'pools'
  board: FiguresBoard
  find(search: CatalogSearch<Filter & { among?: readonly Hex[] }>): Promise<Found<Row>>
}

export interface CatalogPage<Row> {
  rows: readonly { row: Row & Addressed; figures: Figures }[]
  reached: Place | null
  headers: Record<string, string>
}

/** A page of tokens or pools that meet a filter, by network and address or in the order of a figure. */
export async function catalogPage<Filter extends object, Row extends { address: Hex }>(
  catalog: Catalog<Filter, Row>,
  filter: Filter,
  filters: FigureFilters,
  scan: Scan,
): Promise<CatalogPage<Row>> {
  const { network } = filters
  const boards = catalog.board.of(network)
  checkIndexed(
    network,
    boards.map((one) => one.network),
  )
  const headers = { 'X-Indexed-Block': indexedBlocks(boards.map((one) => one.network)) }
  const figuresOf = figuresAmong(boards, catalog.kind)
  const { order_by, min_volume, min_liquidity } = filters
  if (order_by !== undefined || min_volume !== undefined || min_liquidity !== undefined) {
    return { ...(await rankedPage(catalog, filter, { filters, scan, boards, figuresOf })), headers }
  }
  const page = { ascending: scan.order === 'asc', from: placeOf(scan.from), limit: scan.limit }
  const found = await catalog.find({ filter, ...(network && { network }), ...page })
  return {
    rows: found.rows.map((row) => ({ row, figures: figuresOf(row) })),
    reached: found.reached && [found.reached.network, found.reached.address, found.reached.side, null],
    headers,
  }
}

/** The figures of a token or pool that was found. */
function figuresAmong(boards: readonly NetworkFigures[], kind: 'tokens' | 'pools'): (of: Addressed) => Figures {
  const byNetwork = new Map(boards.map((one) => [one.network.network, one[kind] as ReadonlyMap<Hex, Figures>]))
  return ({ network, address }) => byNetwork.get(network)?.get(address) ?? noFigures(network, address)
}

interface Ranking {
  filters: FigureFilters
  scan: Scan
  boards: readonly NetworkFigures[]
  figuresOf: (of: Addressed) => Figures
}

async function rankedPage<Filter extends object, Row extends { address: Hex }>(
  catalog: Catalog<Filter, Row>,
  filter: Filter,
  { filters, scan, boards, figuresOf }: Ranking,
): Promise<Omit<CatalogPage<Row>, 'headers'>> {
  const { network, order_by: orderBy = null } = filters
  const isFiltered = Object.keys(filter).length > 0
  const all = { ascending: true, from: null, ...(network && { network }) }
  const few = isFiltered ? await catalog.find({ filter, ...all, limit: FEW }) : null
  const known = few?.reached === null ? byName(few.rows) : null
  const lists = known
    ? [await ranked([...known.values()].map(figuresOf), orderBy)]
    : await Promise.all(boards.map((one) => ranking(one, catalog.kind, orderBy)))
  const candidates = walk(lists, orderBy, { ascending: scan.order === 'asc', from: rankedPlaceOf(scan.from) })
  const size = isFiltered && known === null ? ASKED_AT_ONCE : scan.limit + 1
  const rows: { row: Row & Addressed; figures: Figures }[] = []
  for (let questions = 1; ; questions++) {
    const some = await take(candidates, size, meeting(filters))
    const found = known ?? byName(await findAmong(catalog, filter, some))
    for (const figures of some) {
      const row = found.get(nameOf(figures))
      if (row === undefined) continue
      const last = rows.at(-1)
      if (rows.length === scan.limit && last) return { rows, reached: cursorOf(last.figures, orderBy, scan) }
      rows.push({ row, figures })
    }
    const last = some.at(-1)
    if (some.length < size || last === undefined) return { rows, reached: null }
    if (questions === QUESTIONS) return { rows, reached: cursorOf(last, orderBy, scan) }
  }
}

/** Whether figures are large enough; what is not known is not. */
function meeting({ min_volume, min_liquidity }: FigureFilters): (figures: Figures) => boolean {
  const [volume, liquidity] = [min_volume, min_liquidity].map((text) => (text === undefined ? null : usdE8Of(text)))
  return ({ volumeE8, liquidityE8 }) =>
    (volume == null || volumeE8 >= volume) && (liquidity == null || (liquidityE8 !== null && liquidityE8 >= liquidity))
}

async function take(
  candidates: Iterator<Figures, void>,
  count: number,
  meets: (figures: Figures) => boolean,
): Promise<Figures[]> {
  const taken: Figures[] = []
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
  some: readonly Figures[],
): Promise<(Row & { network: NetworkName })[]> {
  const rows: (Row & { network: NetworkName })[] = []
  for (const network of new Set(some.map((one) => one.network))) {
    const among = some.filter((one) => one.network === network).map(({ address }) => address)
    const page = { ascending: true, from: null, limit: among.length }
    rows.push(...(await find({ filter: { ...filter, among }, network, ...page })).rows)
  }
  return rows
}

function byName<Row extends Addressed>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [nameOf(row), row]))
}

function nameOf({ network, address }: Addressed): string {
  return `${network} ${address}`
}

/** A place of a list by network and address, from a cursor. */
function placeOf(at: Place | null): CatalogPlace | null {
  if (at === null) return null
  const [network, address, side] = at
  return { network, address: address as Hex, side }
}

function rankedPlaceOf(at: Place | null): RankedPlace | null {
  if (at === null) return null
  const [network, address, side, key] = at
  return { network, address, side, key: key === null ? null : BigInt(key) }
}

/** The place that a scan has reached with these figures. */
function cursorOf(figures: Figures, orderBy: Parameters<typeof rankedBy>[0], { order }: Scan): Place {
  const { key, network, address } = rankedBy(orderBy)(figures)
  return [network, address, order === 'asc' ? 'after' : 'before', key === null ? null : String(key)]
}
