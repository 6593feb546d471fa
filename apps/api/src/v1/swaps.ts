import { amountDecimal, checksumAddress, tokenMetadataOf, type V1Handlers, type V1Row } from '@dexfeed/contract'
import {
  type Address,
  dateOfDay,
  flagsOf,
  NETWORKS,
  type NetworkName,
  SECOND,
  type Token,
  USD_SOURCES,
} from '@dexfeed/dex'
import {
  type FoundRecent,
  type FoundSwaps,
  type Moneys,
  moneyRank,
  type SwapBoundaries,
  type SwapFilter,
  type SwapWithHops,
} from '@dexfeed/store'
import { indexedBlocks, indexedOf } from '../service/freshness.ts'
import { checkKnown } from './check-known.ts'
import { quotePriceOf } from './one-pool.ts'
import type { V1Context } from './v1-context.ts'

type Row = V1Row<'searchSwaps'>
type Handler = V1Handlers['searchSwaps']
type Filters = Parameters<Handler>[0]

export function swaps(context: V1Context): Handler {
  const { reader, recent } = context
  return async (filters, { order, from, limit }, { signal }) => {
    const { network } = filters
    const search = {
      filter: filterOf(filters),
      ...(network && { network }),
      ascending: order === 'asc',
      from: from === null ? null : boundariesOf(from),
      limit,
      inLake: true,
      signal,
    }
    const inMemory = recent.find(search)
    if (inMemory !== null) return pageOf(inMemory, ({ row }) => row)
    const found = await reader.findSwaps(search)
    if (network !== undefined) indexedOf(network, found.networks)
    if (found.rows.length === 0) {
      const { token, sell_token, buy_token, pool, protocol } = filters
      const networks = found.networks.map((indexedNetwork) => indexedNetwork.network)
      await checkKnown(context, networks, { tokens: [token, sell_token, buy_token], pool, protocol })
    }
    const { rows, reached, headers } = pageOf(found, (swap) =>
      swapOf(swap, found.tokens.get(swap.network), indexedOf(swap.network, found.networks)),
    )
    return { rows, reached, headers: { ...headers, ...lakeHeader(found) } }
  }
}

function pageOf<Swap extends SwapWithHops>(
  { networks, rows, reached }: FoundRecent<Swap>,
  rowOf: (swap: Swap) => Omit<Row, 'final'>,
) {
  const final = new Map(networks.map(({ network, finalNumber }) => [network, finalNumber ?? -1]))
  return {
    rows: rows.map((swap) => ({ ...rowOf(swap), final: swap.blockNumber <= (final.get(swap.network) ?? -1) })),
    reached: reached === null ? null : placesOf(reached),
    headers: { 'X-Indexed-Block': indexedBlocks(networks) },
  }
}

export function lakeHeader({ lakeDays: days }: Pick<FoundSwaps, 'lakeDays'>): Record<string, string> {
  return days === null ? {} : { 'X-Lake-Days': `${dateOfDay(days.first)}/${dateOfDay(days.last)}` }
}

export function filterOf({ network: _, ...filters }: Filters): SwapFilter {
  const { token, sell_token, buy_token, pool, protocol, trader, tx_hash, from, to, min_usd, max_usd } = filters
  return {
    ...(token && { token }),
    ...(sell_token && { sellToken: sell_token }),
    ...(buy_token && { buyToken: buy_token }),
    ...(pool && { pool }),
    ...(protocol && { protocol }),
    ...(trader && { trader }),
    ...(tx_hash && { txHash: tx_hash }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to }),
    ...(min_usd && { minUsd: min_usd }),
    ...(max_usd && { maxUsd: max_usd }),
  }
}

type Places = NonNullable<Parameters<Handler>[1]['from']>

function boundariesOf(places: Places): SwapBoundaries {
  return Object.fromEntries(
    places.map(([network, day, blockNumber, transactionIndex, position]) => [
      network,
      { day, blockNumber, transactionIndex, position },
    ]),
  )
}

function placesOf(boundaries: SwapBoundaries): Places {
  return Object.entries(boundaries).map(([network, { day, blockNumber, transactionIndex, position }]) => [
    ...([network as NetworkName, day, blockNumber, transactionIndex, position] as const),
  ])
}

export function swapOf(
  swap: SwapWithHops,
  tokens: ReadonlyMap<Address, Token> | undefined,
  moneys: Moneys,
): Omit<Row, 'final'> {
  const { network, sellToken, sellNative, sellAmount, buyToken, buyNative, buyAmount, usdSource } = swap
  const sell = sellNative ? coinLeg(network, sellAmount) : tokenLeg(sellToken, tokens?.get(sellToken), sellAmount)
  const buy = buyNative ? coinLeg(network, buyAmount) : tokenLeg(buyToken, tokens?.get(buyToken), buyAmount)
  const moreMoney = moneyRank(sellToken, moneys) - moneyRank(buyToken, moneys)
  return {
    time: new Date(swap.time * SECOND).toISOString(),
    network,
    block_number: String(swap.blockNumber),
    tx_hash: swap.txHash,
    transaction_index: swap.transactionIndex,
    position: swap.position,
    trader: swap.trader && checksumAddress(swap.trader),
    settled_for: swap.settledFor && checksumAddress(swap.settledFor),
    sell_token: sell,
    buy_token: buy,
    side: moreMoney === 0 ? null : moreMoney > 0 ? 'buy' : 'sell',
    price: moreMoney === 0 ? null : moreMoney > 0 ? quotePriceOf(buy, sell) : quotePriceOf(sell, buy),
    trade_volume_usd: swap.volumeUsd,
    usd_source: usdSource === null ? null : (USD_SOURCES[usdSource] ?? null),
    flags: flagsOf(swap.flags).map(({ name }) => name),
    hops: swap.hops.map(hopOf),
  }
}

export function hopOf(hop: SwapWithHops['hops'][number]): Row['hops'][number] {
  const { pool, logIndex, tokenIn, amountIn, tokenOut, amountOut, volumeUsd } = hop
  return {
    protocol: pool?.dex ?? null,
    pool: pool?.address ?? null,
    log_index: logIndex,
    token_in: checksumAddress(tokenIn),
    amount_in: amountIn,
    token_out: checksumAddress(tokenOut),
    amount_out: amountOut,
    trade_volume_usd: volumeUsd,
  }
}

function coinLeg(network: NetworkName, amount: string): Row['sell_token'] {
  const { native } = NETWORKS[network]
  return { ...tokenMetadataOf(native, null), amount, amount_decimal: amountDecimal(amount, native.decimals) }
}

export function tokenFields(address: Address, token: Token | undefined) {
  const decimals = token?.decimals ?? null
  return {
    address: checksumAddress(address),
    symbol: token?.symbol ?? null,
    name: token?.name ?? null,
    decimals: decimals === null ? null : String(decimals),
  }
}

export function tokenLeg(address: Address, token: Token | undefined, amount: string): Row['sell_token'] {
  const { name, symbol, decimals, address: checksummed } = tokenFields(address, token)
  const amount_decimal = decimals === null ? null : amountDecimal(amount, Number(decimals))
  return { name, symbol, decimals, address: checksummed, amount, amount_decimal }
}
