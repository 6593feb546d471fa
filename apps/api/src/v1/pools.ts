import { checksumAddress, type V1Handlers, type V1Row } from '@dexfeed/contract'
import { type Address, NETWORKS, type NetworkName, type Token, ZERO_ADDRESS } from '@dexfeed/dex'
import type { PoolWithState, Reader } from '@dexfeed/store'
import { HttpFailure } from '../http/http-failure.ts'
import { cursorPlaceOf, placeOf } from './catalog-place.ts'
import { checkIndexed } from './check-indexed.ts'

type Row = V1Row<'listPools'>
type FoundPool = PoolWithState & { network: NetworkName }

export interface PoolsOptions {
  reader: Pick<Reader, 'findPools' | 'tokens'>
}

/** `/v1/pools`: verified pools, by what they trade and whose they are. */
export function pools({ reader }: PoolsOptions): V1Handlers['listPools'] {
  return async ({ network, token, protocol }, { order, from, limit }) => {
    const filter = { ...(token && { token }), ...(protocol && { protocol }) }
    const page = { ascending: order === 'asc', from: placeOf(from), limit }
    const found = await reader.findPools({ filter, ...(network && { network }), ...page })
    checkIndexed(network, found.networks)
    return { rows: await rowsOf(reader, found.rows), reached: cursorPlaceOf(found.reached) }
  }
}

/** `/v1/pools/{network}/{address}`: one of them. */
export function pool({ reader }: PoolsOptions): V1Handlers['getPool'] {
  return async ({ network, address }) => {
    const only = { ascending: true, from: null, limit: 1 }
    const found = await reader.findPools({ filter: { address }, network, ...only })
    checkIndexed(network, found.networks)
    const [body] = await rowsOf(reader, found.rows)
    if (body === undefined) throw new HttpFailure(404, `no such pool of ${network} was ever traded in`)
    return { body }
  }
}

async function rowsOf(reader: Pick<Reader, 'tokens'>, found: readonly FoundPool[]): Promise<Row[]> {
  const known = new Map<string, Token>()
  for (const network of new Set(found.map((one) => one.network))) {
    const addresses = new Set(found.filter((one) => one.network === network).flatMap(tokensOf))
    for (const token of await reader.tokens(network, [...addresses])) known.set(`${network} ${token.address}`, token)
  }
  return found.map((one) =>
    rowOf(
      one,
      tokensOf(one).map((address) => tokenOf(one.network, address, known.get(`${one.network} ${address}`))),
    ),
  )
}

/** Every token that the pool exchanges, each once. */
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
  { network, address, dex, factory, fee, tickSpacing, hooks, state }: FoundPool,
  tokens: Row['tokens'],
): Row {
  return {
    ...{ network, address, protocol: dex, factory: checksumAddress(factory), tokens },
    fee_millionths: fee === 0 ? null : fee,
    tick_spacing: tickSpacing,
    hooks: hooks === undefined ? null : checksumAddress(hooks),
    state: state && stateOf(state),
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
