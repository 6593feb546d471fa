import { checksumAddress, type V1Handlers, type V1Row } from '@dexfeed/contract'
import { type Address, NETWORKS, type NetworkName, type Token, ZERO_ADDRESS } from '@dexfeed/dex'
import type { PoolFilter, PoolWithState, Reader } from '@dexfeed/store'
import { HttpFailure } from '../http/http-failure.ts'
import { type Catalog, type CatalogPage, catalogPage } from './catalog-page.ts'
import { figureFields } from './figures/figure-fields.ts'
import type { FiguresBoard } from './figures/figures-board.ts'
import type { Figures } from './figures/table/figure-table.ts'

type Row = V1Row<'listPools'>
type FoundPool = PoolWithState & { network: NetworkName }

export interface PoolsOptions {
  reader: Pick<Reader, 'findPools' | 'tokens'>
  board: FiguresBoard
}

function catalogOf({ reader, board }: PoolsOptions): Catalog<PoolFilter, PoolWithState> {
  return { kind: 'pools', board, find: (search) => reader.findPools(search) }
}

/** Serves `/v1/pools`: verified pools, by tokens, protocol and figures. */
export function pools(options: PoolsOptions): V1Handlers['listPools'] {
  const catalog = catalogOf(options)
  return async ({ token, protocol, ...filters }, scan) => {
    const filter = { ...(token && { token }), ...(protocol && { protocol }) }
    const { rows, ...page } = await catalogPage(catalog, filter, filters, scan)
    return { rows: await rowsOf(options.reader, rows), ...page }
  }
}

/** Serves `/v1/pools/{network}/{address}`: one of them. */
export function pool(options: PoolsOptions): V1Handlers['getPool'] {
  const catalog = catalogOf(options)
  return async ({ network, address }) => {
    const { rows, headers } = await catalogPage(
      catalog,
      { address },
      { network },
      { order: 'asc', from: null, limit: 1 },
    )
    const [body] = await rowsOf(options.reader, rows)
    if (body === undefined) throw new HttpFailure(404, `no such pool of ${network} was ever traded in`)
    return { body, headers }
  }
}

type FoundPools = CatalogPage<PoolWithState>['rows']

async function rowsOf(reader: Pick<Reader, 'tokens'>, found: FoundPools): Promise<Row[]> {
  const known = new Map<string, Token>()
  const pools = found.map(({ row }) => row)
  for (const network of new Set(pools.map((one) => one.network))) {
    const addresses = new Set(pools.filter((one) => one.network === network).flatMap(tokensOf))
    for (const token of await reader.tokens(network, [...addresses])) known.set(`${network} ${token.address}`, token)
  }
  return found.map(({ row, figures }) => {
    const tokens = tokensOf(row).map((address) => tokenOf(row.network, address, known.get(`${row.network} ${address}`)))
    return rowOf(row, tokens, figures)
  })
}

/** Returns every token that the pool trades, each once. */
function tokensOf({ token0, token1, coins = [], underlying = [] }: PoolWithState): Address[] {
  return [...new Set(coins.length + underlying.length === 0 ? [token0, token1] : [...coins, ...underlying])]
}

function tokenOf(network: NetworkName, address: Address, token: Token | undefined): Row['tokens'][number] {
  if (address === ZERO_ADDRESS) {
    const { name, symbol, decimals } = NETWORKS[network].native
    return { address: '', symbol, name, decimals: String(decimals) }
  }
  const decimals = token?.decimals ?? null
  return {
    address: checksumAddress(address),
    symbol: token?.symbol ?? null,
    name: token?.name ?? null,
    decimals: decimals === null ? null : String(decimals),
  }
}

function rowOf(
  { network, address, dex, factory, fee, tickSpacing, hooks, state, token0, token1 }: FoundPool,
  tokens: Row['tokens'],
  figures: Figures,
): Row {
  const base = figures.side === 0 ? token0 : token1
  return {
    ...{ network, address, protocol: dex, factory: checksumAddress(factory), tokens },
    fee_millionths: fee === 0 ? null : fee,
    tick_spacing: tickSpacing,
    hooks: hooks === undefined ? null : checksumAddress(hooks),
    state: state && stateOf(state),
    base_token: base === ZERO_ADDRESS ? '' : checksumAddress(base),
    ...figureFields(figures),
  }
}

function stateOf({ blockNumber, state }: NonNullable<PoolWithState['state']>): Row['state'] {
  const block_number = String(blockNumber)
  if (state.kind === 'pair') {
    const reserves = { reserve0: String(state.reserve0), reserve1: String(state.reserve1) }
    return { block_number, ...reserves, sqrt_price_x96: null, tick: null, liquidity: null }
  }
  const { sqrtPriceX96, tick, liquidity } = state
  const curve = { sqrt_price_x96: String(sqrtPriceX96), tick, liquidity: String(liquidity) }
  return { block_number, reserve0: null, reserve1: null, ...curve }
}
