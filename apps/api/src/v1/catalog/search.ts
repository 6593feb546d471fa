import type { V1Handlers } from '@dexfeed/contract'
import { type Address, type Hex, isCoin, NETWORK_NAMES, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { FoundToken, PoolFilter, PoolWithState, TokenFilter } from '@dexfeed/store'
import { indexedBlocks, indexedOf } from '../../service/freshness.ts'
import { ranking } from '../figures/ranking.ts'
import { compareWhole } from '../figures/table/columns.ts'
import type { Figures, NetworkFigures } from '../figures/table/figure-table.ts'
import { poolTokens } from '../one-pool.ts'
import type { V1Context } from '../v1-context.ts'
import { type Addressed, type FiguresOf, figuresAmong, nameOf } from './catalog-page.ts'
import { poolRows } from './pools.ts'
import { tokenRow } from './tokens.ts'

/** With more matches, only listed ones and those among the TOP by volume of each network are ranked. */
const FEW = 300
const TOP = 1_000
const BEST = 3

const HEX = /^0x([0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{80}|[0-9a-f]{104})$/i
const ADDRESS_LENGTH = 42

interface Hit<Row> {
  row: Row
  figures: Figures
  tier: number
}
type TokenHit = Hit<FoundToken & Addressed>
type PoolHit = Hit<PoolWithState & Addressed>

interface Search {
  context: V1Context
  boards: readonly NetworkFigures[]
  tokenFigures: FiguresOf
  poolFigures: FiguresOf
}

/** Serves `/v1/search`. Every query reads a bounded number of rows: by an index, or only those with the most volume. */
export function search(context: V1Context): V1Handlers['search'] {
  return async ({ q, network, limit }) => {
    const boards = context.board.of(network)
    const networks = boards.map((networkFigures) => networkFigures.network)
    if (network !== undefined) indexedOf(network, networks)
    const figures = { tokenFigures: figuresAmong(boards, 'tokens'), poolFigures: figuresAmong(boards, 'pools') }
    const { tokens, pools } = await find({ context, boards, ...figures }, q)
    const best = await withListed(context, pools.sort(compareHits).slice(0, limit * BEST))
    return {
      body: {
        tokens: tokens.slice(0, limit).map(({ row, figures: of }) => tokenRow(row, of)),
        pools: await poolRows(context, best.sort(compareHits).slice(0, limit)),
      },
      headers: { 'X-Indexed-Block': indexedBlocks(networks) },
    }
  }
}

async function find(search: Search, q: string): Promise<{ tokens: TokenHit[]; pools: PoolHit[] }> {
  if (HEX.test(q)) return findByAddress(search, q.toLowerCase() as Hex)
  const [first = '', second = '', ...more] = q.split('/').map((part) => part.trim())
  if (first === '' || second === '' || more.length > 0) {
    const tokens = await findTokens(search, q)
    return { tokens, pools: await poolsOf(search, tokens.slice(0, BEST), null) }
  }
  const tokens = await findTokens(search, first)
  const others = await findTokens(search, second)
  const both = new Map([...tokens, ...others].map((hit) => [nameOf(hit.row), hit]))
  const pools = await poolsOf(search, tokens.slice(0, BEST), others.slice(0, BEST))
  return { tokens: [...both.values()].sort(compareHits), pools }
}

async function findByAddress(search: Search, address: Hex): Promise<{ tokens: TokenHit[]; pools: PoolHit[] }> {
  const { context, boards, poolFigures } = search
  const tokens: TokenHit[] = []
  const pools: PoolHit[] = []
  for (const { network } of boards) {
    const { network: name, wrappedNative } = network
    const token = isCoin(name, address) ? wrappedNative : address
    if (token.length === ADDRESS_LENGTH) tokens.push(...(await readTokens(search, { address: token }, name, () => 0)))
    const page = { network: name, ascending: true, from: null, limit: BEST }
    const found = await context.reader.findPools({ filter: { address }, ...page })
    pools.push(...found.rows.map((row) => ({ row, figures: poolFigures(row), tier: 0 })))
  }
  const of = await poolsOf(search, tokens, null)
  return { tokens: tokens.sort(compareHits), pools: [...pools, ...of] }
}

async function findTokens(search: Search, text: string): Promise<TokenHit[]> {
  const { boards, context } = search
  const hits = new Map<string, TokenHit>()
  for (const { network, tokens } of boards) {
    const name = network.network
    const exact = new Set(await context.catalog.symbol(name, text))
    const { symbol, aliases } = NETWORKS[name].native
    if ([symbol, ...aliases].includes(text.toUpperCase())) exact.add(network.wrappedNative)
    const tierOf = ({ address, listed }: FoundToken) => (exact.has(address) ? 0 : listed ? 1 : 2)
    const add = (found: readonly TokenHit[]) => {
      for (const hit of found) hits.set(nameOf(hit.row), hit)
    }
    if (exact.size > 0) add(await readTokens(search, { among: [...exact] }, name, tierOf))
    const some = await readTokens(search, { beginning: text }, name, tierOf)
    add(some)
    if (some.length < FEW) continue
    add(await readTokens(search, { beginning: text, listed: true }, name, tierOf))
    add(await readTokens(search, { beginning: text, among: await topOf(tokens) }, name, tierOf))
  }
  return [...hits.values()].sort(compareHits)
}

async function readTokens(
  { context, tokenFigures }: Search,
  filter: TokenFilter,
  network: NetworkName,
  tierOf: (row: FoundToken) => number,
): Promise<TokenHit[]> {
  const page = { network, ascending: true, from: null, limit: filter.among?.length ?? FEW }
  const { rows } = await context.reader.findTokens({ filter, ...page })
  return rows.map((row) => ({ row, figures: tokenFigures(row), tier: tierOf(row) }))
}

async function poolsOf(
  { context, boards, poolFigures }: Search,
  tokens: readonly TokenHit[],
  others: readonly TokenHit[] | null,
): Promise<PoolHit[]> {
  const found = new Map<string, PoolHit>()
  for (const { network, pools } of boards) {
    const name = network.network
    const on = (hits: readonly TokenHit[]) => hits.flatMap(({ row }) => (row.network === name ? [row.address] : []))
    const filter: PoolFilter = { tokens: on(tokens), ...(others && { others: on(others) }) }
    if (filter.tokens?.length === 0 || filter.others?.length === 0) continue
    const read = async (among?: readonly Hex[]) => {
      const page = { network: name, ascending: true, from: null, limit: among?.length ?? FEW }
      const { rows, reached } = await context.reader.findPools({
        filter: { ...filter, ...(among && { among }) },
        ...page,
      })
      for (const row of rows) found.set(nameOf(row), { row, figures: poolFigures(row), tier: 2 })
      return reached === null
    }
    if (!(await read())) await read(await topOf(pools))
  }
  return [...found.values()]
}

async function topOf(table: NetworkFigures['tokens']): Promise<Hex[]> {
  const { ranks } = await ranking(table, 'volume')
  return Array.from(ranks?.known.slice(-TOP) ?? [], (row) => table.address(row))
}

async function withListed({ reader }: V1Context, hits: readonly PoolHit[]): Promise<PoolHit[]> {
  const listed = new Set<string>()
  for (const network of new Set(hits.map(({ row }) => row.network))) {
    const among = new Set<Address>(hits.flatMap(({ row }) => (row.network === network ? poolTokens(row) : [])))
    const page = { network, ascending: true, from: null, limit: among.size }
    const { rows } = await reader.findTokens({ filter: { among: [...among], listed: true }, ...page })
    for (const row of rows) listed.add(nameOf(row))
  }
  const isListed = (network: NetworkName, address: Address) =>
    isCoin(network, address) || listed.has(nameOf({ network, address }))
  return hits.map((hit) => {
    const isTrusted = poolTokens(hit.row).every((address) => isListed(hit.row.network, address))
    return hit.tier > 0 && isTrusted ? { ...hit, tier: 1 } : hit
  })
}

function compareHits<Row extends Addressed>(a: Hit<Row>, b: Hit<Row>): number {
  return (
    a.tier - b.tier ||
    compareWhole(b.figures.volumeE8, a.figures.volumeE8) ||
    compareWhole(b.figures.liquidityE8, a.figures.liquidityE8) ||
    NETWORK_NAMES.indexOf(a.row.network) - NETWORK_NAMES.indexOf(b.row.network) ||
    (a.row.address < b.row.address ? -1 : 1)
  )
}
