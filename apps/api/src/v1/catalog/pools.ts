import { checksumAddress, InvalidRequest, type V1Handlers, type V1Row } from '@dexfeed/contract'
import {
  type Address,
  balancesOf,
  DEFAULT_NETWORK,
  isCoin,
  type NetworkName,
  present,
  reasonOf,
  type Token,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import type { PoolFilter, PoolWithState } from '@dexfeed/store'
import { checkKnown } from '../check-known.ts'
import type { Figures } from '../figures/table/figure-table.ts'
import { poolTokens, theOnly } from '../one-pool.ts'
import type { V1Context } from '../v1-context.ts'
import {
  type Catalog,
  type CatalogPage,
  catalogPage,
  type FiguredRow,
  figureFields,
  flowField,
} from './catalog-page.ts'
import { creationFields, poolTokenFields } from './pool-fields.ts'

type Row = Omit<V1Row<'listPools'>, 'flow'>
type FoundPool = PoolWithState & { network: NetworkName }

function catalogOf({ reader, board }: V1Context): Catalog<PoolFilter, PoolWithState> {
  return {
    kind: 'pools',
    board,
    find: (search) => reader.findPools(search),
    counted: (pool, figures, { wrappedNative }) => {
      const base = baseOf(pool, figures)
      return { pool: pool.address, token: base === ZERO_ADDRESS ? wrappedNative : base }
    },
  }
}

export function pools(context: V1Context): V1Handlers['listPools'] {
  const catalog = catalogOf(context)
  return async ({ token, other_token: other, protocol, ...filters }, scan) => {
    const { network = DEFAULT_NETWORK } = filters
    const [first, second] = [token, other].map((each) => (each && isCoin(network, each) ? ZERO_ADDRESS : each))
    if (second !== undefined && (first === undefined || first === second)) {
      throw new InvalidRequest('other_token needs another token as token', 'invalid_parameter')
    }
    const tokens = { ...(first && { tokens: [first] }), ...(second && { others: [second] }) }
    const { rows, ...page } = await catalogPage(catalog, { ...tokens, ...(protocol && { protocol }) }, filters, scan)
    if (rows.length === 0) {
      const networks = context.board.of(filters.network).map((networkFigures) => networkFigures.network.network)
      await checkKnown(context, networks, { tokens: [token, other], protocol })
    }
    return { rows: await rowsWithFlow(context, rows), ...page }
  }
}

export function pool(context: V1Context): V1Handlers['getPool'] {
  const catalog = catalogOf(context)
  return async ({ network, address }) => {
    const scan = { order: 'asc', from: null, limit: 2 } as const
    const { rows, headers } = await catalogPage(catalog, { address }, { network }, scan)
    return { body: theOnly(await rowsWithFlow(context, rows), network), headers }
  }
}

async function rowsWithFlow(
  context: V1Context,
  found: CatalogPage<PoolWithState>['rows'],
): Promise<V1Row<'listPools'>[]> {
  const rows = await poolRows(context, found)
  return found.map(({ figures, traders }, n) => ({ ...present(rows[n]), flow: flowField(figures, traders) }))
}

export async function poolRows(
  { reader }: Pick<V1Context, 'reader'>,
  found: readonly FiguredRow<PoolWithState>[],
): Promise<Row[]> {
  const known = new Map<string, Token>()
  const pools = found.map(({ row }) => row)
  for (const network of new Set(pools.map((each) => each.network))) {
    const addresses = new Set(pools.filter((each) => each.network === network).flatMap(poolTokens))
    for (const token of await reader.tokens(network, [...addresses])) known.set(`${network} ${token.address}`, token)
  }
  return found.map(({ row, figures }) => {
    const tokens = poolTokens(row).map((address) =>
      poolTokenFields(row.network, address, known.get(`${row.network} ${address}`)),
    )
    return rowOf(row, tokens, figures)
  })
}

function baseOf({ token0, token1 }: Pick<PoolWithState, 'token0' | 'token1'>, { side }: Figures): Address {
  return side === 0 ? token0 : token1
}

function rowOf(
  { network, address, dex, factory, fee, tickSpacing, hooks, state, creation, token0, token1 }: FoundPool,
  tokens: Row['tokens'],
  figures: Figures,
): Row {
  const base = baseOf({ token0, token1 }, figures)
  return {
    network,
    address,
    protocol: dex,
    factory: checksumAddress(factory),
    tokens,
    fee_millionths: fee === 0 ? null : fee,
    tick_spacing: tickSpacing,
    hooks: hooks === undefined ? null : checksumAddress(hooks),
    state: state && stateOf(state),
    not_quoted: state ? reasonOf(state.state) : hooks === undefined ? null : ('hooks' as const),
    base_token: base === ZERO_ADDRESS ? '' : checksumAddress(base),
    price_quote: figures.priceQuote,
    ...figureFields(figures),
    ...(creation === null ? NOT_READ : creationFields(creation)),
  }
}

const NOT_READ = { created_at: null, created_block: null, created_tx: null, creator: null }

function stateOf({ blockNumber, state }: NonNullable<PoolWithState['state']>): Row['state'] {
  const none = { balances: null, reserve0: null, reserve1: null, sqrt_price_x96: null, tick: null, liquidity: null }
  const block_number = String(blockNumber)
  if (state.kind === 'formula') {
    const balances = balancesOf(state)
    return balances && { ...none, block_number, kind: state.formula, balances: balances.map(String) }
  }
  if (state.kind === 'pair') {
    const reserves = { reserve0: String(state.reserve0), reserve1: String(state.reserve1) }
    return { ...none, block_number, kind: state.kind, ...reserves }
  }
  const { sqrtPriceX96, tick, liquidity } = state
  const curve = { sqrt_price_x96: String(sqrtPriceX96), tick, liquidity: String(liquidity) }
  return { ...none, block_number, kind: state.kind, ...curve }
}
