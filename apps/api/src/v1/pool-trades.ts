import { checksumAddress, type V1Handlers, type V1Row } from '@dexfeed/contract'
import { type Address, dayOf, flagsOf, isoTime, type Token, usdE8Of } from '@dexfeed/dex'
import { hopPrices, poolKey, type SwapBoundary, type SwapWithHops, storedPriceText } from '@dexfeed/store'
import { indexedBlocks, indexedOf } from '../service/freshness.ts'
import { baseAmong, type OnePool, onePool, quotePriceOf } from './one-pool.ts'
import { lakeHeader, tokenLeg } from './swaps.ts'
import type { V1Context } from './v1-context.ts'

type Handler = V1Handlers['listPoolTrades']
type Place = NonNullable<Parameters<Handler>[1]['from']>

const BEHIND_LOGS = 2_147_483_647

interface PoolHop {
  swap: SwapWithHops
  hop: SwapWithHops['hops'][number]
}

export function poolTrades(context: V1Context): Handler {
  const { reader, recent } = context
  return async ({ network, address, from: since, to: until }, { order, from, limit }, { signal }) => {
    const ascending = order === 'asc'
    const search = {
      filter: { pool: address, ...(since !== undefined && { since }), ...(until !== undefined && { until }) },
      network,
      ascending,
      from: from && { [network]: boundaryOf(from, ascending) },
      limit,
      inLake: true,
      signal,
    }
    const of = await onePool(context, network, address)
    const inMemory = recent.find(search)
    const found = inMemory === null ? await reader.findSwaps(search) : { ...inMemory, lakeDays: null }
    const indexed = indexedOf(network, found.networks)
    const key = poolKey(address)
    const hops = found.rows.flatMap((swap) => {
      const ofTrade = swap.hops.filter((hop) => hop.poolKey === key).map((hop) => ({ swap, hop }))
      const ahead = from === null ? ofTrade : ofTrade.filter((poolHop) => isAhead(poolHop, from, ascending))
      return ascending ? ahead : ahead.reverse()
    })
    const page = hops.slice(0, limit)
    const last = page.at(-1)
    const reached = found.reached?.[network]
    return {
      rows: await rowsOf(context, { ...of, indexed }, page),
      reached: hops.length > limit && last ? placeAfter(last, ascending) : reached ? placeOf(reached) : null,
      headers: { 'X-Indexed-Block': indexedBlocks([indexed]), ...lakeHeader(found) },
    }
  }
}

/** A page that ended within a trade continues in that trade. */
function boundaryOf([day, blockNumber, transactionIndex, position, log]: Place, ascending: boolean): SwapBoundary {
  const isWithin = ascending && log !== BEHIND_LOGS
  return { day, blockNumber, transactionIndex, position: isWithin ? position - 1 : position }
}

function placeOf({ day, blockNumber, transactionIndex, position }: SwapBoundary): Place {
  return [day, blockNumber, transactionIndex, position, BEHIND_LOGS]
}

function placeAfter({ swap, hop }: PoolHop, ascending: boolean): Place {
  const { time, blockNumber, transactionIndex, position } = swap
  return [dayOf(time), blockNumber, transactionIndex, position, ascending ? hop.logIndex : hop.logIndex - 1]
}

function isAhead({ swap, hop }: PoolHop, [, block, transaction, position, log]: Place, ascending: boolean): boolean {
  const isInTrade = swap.blockNumber === block && swap.transactionIndex === transaction && swap.position === position
  return !isInTrade || (ascending ? hop.logIndex > log : hop.logIndex <= log)
}

async function rowsOf(
  { reader }: V1Context,
  of: OnePool,
  hops: readonly PoolHop[],
): Promise<V1Row<'listPoolTrades'>[]> {
  const addresses = new Set(hops.flatMap(({ hop }) => [hop.tokenIn, hop.tokenOut]))
  const known = addresses.size === 0 ? [] : await reader.tokens(of.indexed.network, [...addresses])
  const tokens = new Map(known.map((token) => [token.address, token]))
  return hops.map((poolHop) => rowOf(poolHop, of, tokens))
}

function rowOf({ swap, hop }: PoolHop, of: OnePool, tokens: ReadonlyMap<Address, Token>): V1Row<'listPoolTrades'> {
  const { tokenIn, tokenOut, volumeUsd } = hop
  const amounts = { tokenIn, amountIn: BigInt(hop.amountIn), tokenOut, amountOut: BigInt(hop.amountOut) }
  const isBuy = baseAmong([tokenIn, tokenOut], of) === tokenOut
  const paid = tokenLeg(tokenIn, tokens.get(tokenIn), hop.amountIn)
  const bought = tokenLeg(tokenOut, tokens.get(tokenOut), hop.amountOut)
  const [base, quote] = isBuy ? [bought, paid] : [paid, bought]
  const prices = hopPrices(amounts, volumeUsd === null ? null : usdE8Of(volumeUsd), hop.flags)
  return {
    time: isoTime(swap.time),
    block_number: String(swap.blockNumber),
    tx_hash: swap.txHash,
    transaction_index: swap.transactionIndex,
    position: swap.position,
    log_index: hop.logIndex,
    trader: swap.trader && checksumAddress(swap.trader),
    side: isBuy ? 'buy' : 'sell',
    base_token: base,
    quote_token: quote,
    price_usd: storedPriceText(prices?.[isBuy ? 1 : 0] ?? null, tokens.get(isBuy ? tokenOut : tokenIn)?.decimals),
    price_quote: quotePriceOf(base, quote),
    volume_usd: volumeUsd,
    flags: flagsOf(hop.flags).map(({ name }) => name),
    final: swap.blockNumber <= (of.indexed.finalNumber ?? -1),
  }
}
