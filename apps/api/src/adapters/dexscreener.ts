import {
  amountDecimal,
  checksumAddress,
  DEXSCREENER_ROUTES,
  type DexscreenerBody,
  type DexscreenerRequest,
  type DexscreenerRoutes,
  InvalidRequest,
  parseKnown,
} from '@dexfeed/contract'
import {
  type Address,
  fixedText,
  missingRanges,
  type PoolAddress,
  type QuotablePool,
  type Token,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import { type Coverage, coverageGaps, type FoundLiquidity, type SwapWithHops } from '@dexfeed/store'
import { Router } from 'express'
import { HttpFailure, notIndexed, notNow } from '../http/http-failure.ts'
import type { FairQueue } from '../http/limits/quotas.ts'
import { indexedOf } from '../service/freshness.ts'
import type { Dispatcher } from '../v1/dispatcher.ts'
import { pacer } from '../v1/figures/in-steps.ts'
import { onePool, poolTokens } from '../v1/one-pool.ts'
import type { V1Context } from '../v1/v1-context.ts'

type Context = Pick<V1Context, 'reader' | 'extent'>
type Handlers = {
  [Name in keyof DexscreenerRoutes]: (
    context: Context,
    request: DexscreenerRequest<Name>,
    signal: AbortSignal,
  ) => Promise<{ body: DexscreenerBody<Name>; headers?: Record<string, string> }>
}

const HANDLERS: Handlers = { latestBlock, asset, pair, events }

/** Serves DEX Screener's adapter protocol, in the queue of the reads of `/v1`. */
export function dexscreenerRoutes(context: Context, queue: FairQueue, dispatcher: Dispatcher): Router {
  const router = Router()
  const add = <Name extends keyof DexscreenerRoutes>(name: Name) => {
    router.get(DEXSCREENER_ROUTES[name].path.replace('{network}', ':network'), (request, response) => {
      const { path, query, params } = request
      return dispatcher.dispatch(request, response, { key: [path, query], maxAgeS: 1 }, async ({ client, signal }) => {
        const asked = parseKnown<DexscreenerRoutes[Name]['request']>(DEXSCREENER_ROUTES[name].request, {
          ...query,
          ...params,
        })
        const { headers, body } = await queue.run(client, () => {
          signal.throwIfAborted()
          return HANDLERS[name](context, asked, signal)
        })
        return { ...(headers && { headers }), text: JSON.stringify(body) }
      })
    })
  }
  for (const name of Object.keys(HANDLERS)) add(name as keyof DexscreenerRoutes)
  return router
}

async function latestBlock({ extent }: Context, { network }: DexscreenerRequest<'latestBlock'>) {
  const block = lastWhole(indexedOf(network, (await extent()).networks))
  if (block === null) throw notNow('the first blocks are not indexed yet', 60)
  return { body: { block: { blockNumber: block.number, blockTimestamp: block.timestamp } } }
}

/** Returns the last block up to which every block since the start is indexed. */
function lastWhole(network: Coverage): { number: number; timestamp: number } | null {
  const [gap] = coverageGaps(network)
  if (gap === undefined) return network.head
  const whole = network.covered.find(({ to }) => to === gap.from - 1)
  return whole === undefined ? null : { number: whole.to, timestamp: whole.toTime }
}

async function asset({ reader }: Context, { network, id }: DexscreenerRequest<'asset'>) {
  const page = { network, ascending: true, from: null, limit: 1 }
  const { networks, rows } = await reader.findTokens({ filter: { address: id }, ...page })
  indexedOf(network, networks)
  const [token] = rows
  if (token === undefined) throw new HttpFailure(404, `no indexed pool of ${network} trades this token`)
  const { name, symbol, decimals, supply } = token
  const address = checksumAddress(id)
  const total = supply !== null && decimals !== null && { totalSupply: amountDecimal(String(supply), decimals) }
  return { body: { asset: { id: address, name: name || address, symbol: symbol || address, ...total } } }
}

async function pair(context: Context, { network, id }: DexscreenerRequest<'pair'>) {
  const [address, ...named] = id.split('-') as [PoolAddress, ...Address[]]
  const { pool, indexed } = await onePool(context, network, address)
  const of = pairOf(pool, indexed.wrappedNative, named)
  if (of === null) throw new HttpFailure(404, 'the pool has other tokens')
  const { creation, dex, fee } = pool
  const created = creation && {
    createdAtBlockNumber: creation.blockNumber,
    createdAtBlockTimestamp: creation.timestamp,
    createdAtTxnId: creation.txHash,
  }
  const [asset0Id, asset1Id] = of.assets.map(checksumAddress) as [string, string]
  return {
    body: { pair: { id: of.id, dexKey: dex, asset0Id, asset1Id, ...created, ...(fee !== 0 && { feeBps: fee / 100 }) } },
  }
}

type PairPool = Pick<QuotablePool, 'address' | 'token0' | 'token1' | 'coins' | 'underlying'>

interface Pair {
  id: string
  assets: readonly [Address, Address]
}

/**
 * Returns the pair of two tokens of a pool, in the pool's order; a pool of two tokens needs no names. Null if the pool
 * does not exchange them.
 */
function pairOf(pool: PairPool, wrappedNative: Address, named: readonly Address[]): Pair | null {
  const all = poolTokens(pool).map((token) => asTraded(token, wrappedNative))
  const isOfTwo = all.length === 2
  const [asset0, asset1, ...others] = named.length === 0 ? all : all.filter((token) => named.includes(token))
  if (asset0 === undefined || asset1 === undefined || asset0 === asset1 || others.length > 0) return null
  return { id: isOfTwo ? pool.address : [pool.address, asset0, asset1].join('-'), assets: [asset0, asset1] }
}

const MAX_TRADES = 5_000
const WHOLE_BLOCK = 1_000_000
/** Look this many blocks back for a row whose time proves that the range is recent enough to be kept. */
const NEARBY_BLOCKS = 1_000

async function events(
  { reader }: Context,
  { network, fromBlock, toBlock }: DexscreenerRequest<'events'>,
  signal: AbortSignal,
) {
  if (toBlock < fromBlock) throw new InvalidRequest('toBlock is before fromBlock')
  const blocks = { from: fromBlock, to: toBlock }
  const max = fromBlock === toBlock ? WHOLE_BLOCK : MAX_TRADES
  const keptBefore = (await reader.keptSince()) ?? Number.NEGATIVE_INFINITY
  const { indexed, swaps, moves, tokens, before } = await reader.edge(new Map(), signal, async (snapshot) => {
    const indexed = snapshot.networks.find((each) => each.network === network)
    const isWhole = indexed !== undefined && missingRanges(blocks, indexed.covered).length === 0
    const swaps = isWhole ? await snapshot.swaps(indexed, blocks, max + 1) : null
    const moves = isWhole ? await snapshot.liquidity(indexed, blocks, max + 1) : []
    const hops = swaps?.flatMap((swap) => swap.hops) ?? []
    const exchanged = hops.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])
    const moved = moves.flatMap(({ coins }) => coins)
    const addresses = new Set([...exchanged, ...moved, ...(indexed ? [indexed.wrappedNative] : [])])
    const nearby = { from: fromBlock - NEARBY_BLOCKS, to: fromBlock - 1 }
    const before = isWhole ? await snapshot.times(network, nearby) : null
    return { indexed, swaps, moves, tokens: await snapshot.tokens(network, [...addresses]), before }
  })
  if (indexed === undefined) throw notIndexed(network)
  if (swaps === null) {
    const start = indexed.start?.number ?? 0
    if (fromBlock < start) throw new HttpFailure(404, `the first indexed block is ${start}`)
    throw notNow('some of these blocks are not indexed yet')
  }
  // Also read after the snapshot: retention sets this time before it deletes rows. Read before it, because deleted days
  // may be restored meanwhile. Deleted blocks still count as covered.
  const keptSince = Math.max(keptBefore, (await reader.keptSince()) ?? Number.NEGATIVE_INFINITY)
  const first = indexed.covered.find(({ from, to }) => from <= fromBlock && fromBlock <= to)
  const provenTime = Math.max(first?.fromTime ?? 0, before?.to ?? 0)
  if (provenTime < keptSince) {
    throw new HttpFailure(404, 'some of these blocks may have been deleted')
  }
  if (Math.max(swaps.length, moves.length) > max) {
    throw new InvalidRequest(`more than ${max} trades or liquidity events: ask for fewer blocks`)
  }
  const traded = swaps.flatMap(({ hops }) => hops.flatMap(({ pool }) => pool?.address ?? []))
  const named = new Set([...traded, ...moves.map(({ pool }) => pool)])
  const pools = await reader.pools(network, [...named])
  if (pools.length < named.size) throw notNow('some of these blocks were just rolled back')
  const stating = {
    wrappedNative: indexed.wrappedNative,
    tokens: new Map(tokens.map((token) => [token.address, token])),
    pools: new Map(pools.map((pool) => [pool.address, pool])),
  }
  const stated: Event[] = []
  let leftOut = 0
  const pause = pacer()
  for (const swap of swaps) {
    for (const hop of swap.hops) {
      const event = swapEvent(swap, hop, stating)
      if (event === null) leftOut++
      else stated.push(event)
    }
    const turned = pause(swap.hops.length)
    if (turned) await turned
  }
  for (const move of moves) {
    const event = joinExitEvent(move, stating)
    if (event === null) leftOut++
    else stated.push(event)
  }
  return { body: { events: stated.sort(inOrder) }, headers: { 'X-Left-Out-Events': String(leftOut) } }
}

type Event = DexscreenerBody<'events'>['events'][number]

interface Stating {
  wrappedNative: Address
  tokens: ReadonlyMap<Address, Token>
  pools: ReadonlyMap<PoolAddress, PairPool>
}

/** Null if the protocol has no form for the hop. */
function swapEvent(
  swap: SwapWithHops,
  { pool: of, logIndex, tokenIn, amountIn, tokenOut, amountOut }: SwapWithHops['hops'][number],
  { wrappedNative, tokens, pools }: Stating,
): Event | null {
  const pool = of && pools.get(of.address)
  const exchanged = pool ? pairOf(pool, wrappedNative, [tokenIn, tokenOut]) : null
  const decimalsIn = tokens.get(tokenIn)?.decimals ?? null
  const decimalsOut = tokens.get(tokenOut)?.decimals ?? null
  if (exchanged === null || decimalsIn === null || decimalsOut === null) return null
  const paid = { amount: amountIn, decimals: decimalsIn }
  const received = { amount: amountOut, decimals: decimalsOut }
  const isInOrder = exchanged.assets[0] === tokenIn
  const priceNative = isInOrder ? priceOf(paid, received) : priceOf(received, paid)
  if (priceNative === null) return null
  const [inText, outText] = [paid, received].map(({ amount, decimals }) => amountDecimal(amount, decimals))
  const maker = swap.settledFor ?? swap.trader
  return {
    block: { blockNumber: swap.blockNumber, blockTimestamp: swap.time },
    eventType: 'swap',
    txnId: swap.txHash,
    txnIndex: swap.transactionIndex,
    eventIndex: logIndex,
    maker: maker && checksumAddress(maker),
    pairId: exchanged.id,
    ...(isInOrder ? { asset0In: inText, asset1Out: outText } : { asset1In: inText, asset0Out: outText }),
    priceNative,
  }
}

/** Null if the protocol has no form for the event: its amounts are unknown, or the pool has more than two tokens. */
function joinExitEvent(move: FoundLiquidity, { wrappedNative, tokens, pools }: Stating): Event | null {
  const coins = move.coins.map((coin) => asTraded(coin, wrappedNative))
  const pool = pools.get(move.pool)
  const exchanged = pool ? pairOf(pool, wrappedNative, coins) : null
  const [amount0, amount1] = coins.map((coin, n) => {
    const decimals = tokens.get(coin)?.decimals ?? null
    const amount = move.amounts?.[n]
    return amount === undefined || decimals === null ? null : amountDecimal(amount, decimals)
  })
  if (exchanged === null || !amount0 || !amount1) return null
  return {
    block: { blockNumber: move.blockNumber, blockTimestamp: move.time },
    eventType: move.isAdded ? 'join' : 'exit',
    txnId: move.txHash,
    txnIndex: move.transactionIndex,
    eventIndex: move.logIndex,
    maker: move.account && checksumAddress(move.account),
    pairId: exchanged.id,
    amount0,
    amount1,
  }
}

/** Returns the wrapper for the coin, as hops name it. */
function asTraded(token: Address, wrappedNative: Address): Address {
  return token === ZERO_ADDRESS ? wrappedNative : token
}

/** Digits after the point that the protocol reads. */
const PRICE_DIGITS = 50

interface Amount {
  amount: string
  decimals: number
}

/** Returns the price of `base` in `quote`, rounded down; null if the protocol would read it as zero, or there is none. */
function priceOf(base: Amount, quote: Amount): string | null {
  const denominator = BigInt(base.amount) * 10n ** BigInt(quote.decimals)
  if (denominator === 0n) return null
  const price = (BigInt(quote.amount) * 10n ** BigInt(base.decimals + PRICE_DIGITS)) / denominator
  return price === 0n ? null : fixedText(price, PRICE_DIGITS)
}

function inOrder(a: Event, b: Event): number {
  return a.block.blockNumber - b.block.blockNumber || a.txnIndex - b.txnIndex || a.eventIndex - b.eventIndex
}
