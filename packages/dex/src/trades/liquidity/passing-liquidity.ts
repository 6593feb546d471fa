import { topicOf } from '../../abi/contract-abi.ts'
import { addressTopic, hasWords, uintWord } from '../../abi/words.ts'
import { type Address, type Hex, type Log, ZERO_ADDRESS } from '../../chain.ts'
import type { Pool, PoolAddress } from '../../pool.ts'
import type { LiquidityEvent, PoolEvent, SwapEvent } from '../../pool-event.ts'
import { present } from '../../present.ts'
import { type LiquidityChange, type LiquidityReader, wordsAt } from '../../venues/liquidity-change.ts'
import { emitterOf } from '../../venues/managed-pool.ts'
import { DEX_KINDS, protocolOf } from '../../venues/registry.ts'
import { TRANSFER } from '../receipt/receipt-flows.ts'
import type { Hop } from '../trade.ts'
import { firstWhere } from '../transfer-index.ts'

// Liquidity that is removed in the same transaction costs nothing: debts are settled at the end (Uniswap V4), or a
// flash loan pays for it. So it can produce any volume at any price. The rules are in docs/internals/usd.md.

const NO_EVENTS: ReadonlySet<PoolEvent> = new Set()

interface RangeNet {
  tickLower: number
  tickUpper: number
  net: bigint
  end: bigint
}

/**
 * Returns the swaps that may have crossed a tick range with liquidity that this transaction had added and later
 * removed. `events` are in log order.
 */
export function swapsOfJitLiquidity(events: readonly PoolEvent[]): ReadonlySet<PoolEvent> {
  if (!events.some((event) => event.type === 'liquidity' && event.delta < 0n)) return NO_EVENTS
  const pools = rangesByPool(events)
  const found = new Set<PoolEvent>()
  const ticks = new Map<PoolAddress, number>()
  for (const event of events) {
    const ranges = pools.get(event.pool)
    if (ranges === undefined) continue
    if (event.type === 'liquidity') present(ranges.get(rangeKey(event))).net += event.delta
    else if (event.type === 'swap') {
      const [from, to] = ticksCrossed(event, ticks.get(event.pool))
      for (const range of ranges.values()) {
        if (range.net > 0n && range.net > range.end && range.tickLower <= to && range.tickUpper > from) found.add(event)
      }
      if (event.state !== null) ticks.set(event.pool, event.state.tick)
    }
  }
  return found
}

function rangesByPool(events: readonly PoolEvent[]): Map<PoolAddress, Map<string, RangeNet>> {
  const pools = new Map<PoolAddress, Map<string, RangeNet>>()
  for (const event of events) {
    if (event.type !== 'liquidity') continue
    const ranges = pools.get(event.pool) ?? new Map<string, RangeNet>()
    pools.set(event.pool, ranges)
    const { tickLower, tickUpper } = event
    const range = ranges.get(rangeKey(event)) ?? { tickLower, tickUpper, net: 0n, end: 0n }
    range.end += event.delta
    ranges.set(rangeKey(event), range)
  }
  return pools
}

function rangeKey({ tickLower, tickUpper }: LiquidityEvent): string {
  return `${tickLower} ${tickUpper}`
}

/**
 * Returns the lowest and highest tick that a swap may have crossed. A swap that pays token0 moves the price down.
 * `before` is the tick after the pool's previous swap.
 */
function ticksCrossed({ state, amount0 }: SwapEvent, before: number | undefined): readonly [number, number] {
  if (state === null) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  return amount0 > 0n
    ? [state.tick, before ?? Number.POSITIVE_INFINITY]
    : [before ?? Number.NEGATIVE_INFINITY, state.tick]
}

const TRANSFER_BATCH = topicOf(
  'event TransferBatch(address indexed sender, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)',
)
const ZERO_TOPIC: Hex = `0x${'0'.repeat(64)}`

/** Readers by first topic. They do not prove that the emitter is a pool. */
const READERS: ReadonlyMap<Hex, LiquidityReader> = new Map([
  [TRANSFER, readShares],
  // One token id for each bin.
  [TRANSFER_BATCH, readBinShares],
  ...DEX_KINDS.flatMap((kind) => protocolOf(kind).liquidityLogs ?? []),
])

/**
 * Marks hops of pairs, Curve, Balancer and bin pools that may have used liquidity which the transaction added before
 * and removed after. `logs` is the whole receipt, in log order.
 */
export function withPassingLiquidity(hops: readonly Hop[], logs: readonly Log[]): readonly Hop[] {
  if (!logs.some(mayTakeLiquidity) && !hops.some(swapsShares)) return hops
  const pools = placesByPool(hops, logs)
  if (pools === null) return hops
  const lastBins = new Map<Pool, bigint>()
  const dataOf = hops.some(({ pool }) => protocolOf(pool.dex.kind).binsOfSwap !== undefined)
    ? new Map(logs.map(({ logIndex, data }) => [logIndex, data]))
    : null
  return hops.map((hop) => {
    const places = pools.get(hop.pool)
    if (places === undefined || swapsShares(hop)) return hop
    const path = binsOf(hop, dataOf?.get(hop.logIndex) ?? '0x', lastBins)
    const isPassing = placesIn(path, places).some((place) => place.isPassing(hop.logIndex))
    return isPassing ? { ...hop, isOfJitLiquidity: true } : hop
  })
}

/** Must be cheap, because it runs for every log of a transaction with hops. */
function mayTakeLiquidity({ topics }: Log): boolean {
  const topic = topics[0]
  // Nearly all transfers are between accounts.
  if (topic === TRANSFER) return topics[2] === ZERO_TOPIC
  return topic !== undefined && READERS.has(topic)
}

function readShares({ address, topics, data }: Log): LiquidityChange[] {
  if (topics.length !== 3 || !hasWords(data, 1)) return []
  const isAdded = isMinted(topics, 1)
  return isAdded === null ? [] : [{ poolKey: address, bin: null, isAdded, shares: uintWord(data, 0) }]
}

function readBinShares({ address, topics, data }: Log): LiquidityChange[] {
  const isAdded = topics.length === 4 ? isMinted(topics, 2) : null
  const ids = wordsAt(data, 0)
  const amounts = wordsAt(data, 1)
  if (isAdded === null || ids === null || amounts?.length !== ids.length) return []
  return ids.map((bin, index) => ({ poolKey: address, bin, isAdded, shares: present(amounts[index]) }))
}

/** Returns true for a mint, false for a burn, null for a transfer. `from` is the index of the sender's topic. */
function isMinted(topics: readonly Hex[], from: number): boolean | null {
  const isFromZero = addressTopic(topics, from) === ZERO_ADDRESS
  return isFromZero === (addressTopic(topics, from + 1) === ZERO_ADDRESS) ? null : isFromZero
}

/** Liquidity by bin; the key is null for the whole pool. */
type Places = Map<bigint | null, PlaceLiquidity>

function placesByPool(hops: readonly Hop[], logs: readonly Log[]): Map<Pool, Places> | null {
  const poolNamed = new Map<Hex, Pool>()
  for (const { pool } of hops) {
    poolNamed.set(pool.address, pool)
    const share = shareOf(pool)
    if (share !== null) poolNamed.set(share, pool)
  }
  const emitters = new Set([...poolNamed.keys()].map(emitterOf))
  const pools = new Map<Pool, Places>()
  let isRemoved = false
  const note = (pool: Pool, bin: bigint | null, change: Change) => {
    const places: Places = pools.get(pool) ?? new Map()
    pools.set(pool, places)
    const place = places.get(bin) ?? new PlaceLiquidity()
    places.set(bin, place)
    place.add(change)
    isRemoved ||= !change.isAdded
  }
  for (const log of logs) {
    if (!emitters.has(log.address)) continue
    for (const { poolKey, bin, isAdded, shares } of READERS.get(log.topics[0] ?? '0x')?.(log) ?? []) {
      const pool = poolNamed.get(poolKey)
      if (pool !== undefined) note(pool, bin, { logIndex: log.logIndex, isAdded, shares })
    }
  }
  for (const hop of hops) {
    if (!swapsShares(hop)) continue
    const isAdded = hop.tokenOut === shareOf(hop.pool)
    note(hop.pool, null, { logIndex: hop.logIndex, isAdded, shares: isAdded ? hop.amountOut : hop.amountIn })
  }
  return isRemoved ? pools : null
}

function shareOf(pool: Pool): Address | null {
  const { address, dex } = pool
  if (emitterOf(address) === address) return emitterOf(address)
  return protocolOf(dex.kind).shareToken?.(pool) ?? null
}

function swapsShares({ pool, tokenIn, tokenOut }: Hop): boolean {
  const shares = protocolOf(pool.dex.kind).sharesOf?.(pool)
  return shares != null && !shares.isWrapper && (shares.token === tokenIn || shares.token === tokenOut)
}

type Path = readonly [lowest: bigint | null, highest: bigint | null]

function placesIn([lowest, highest]: Path, places: Places): PlaceLiquidity[] {
  const bins = lowest !== null && lowest === highest ? [lowest, null] : [...places.keys()]
  return bins.flatMap((bin) => {
    const isInPath = bin === null || ((lowest === null || bin >= lowest) && (highest === null || bin <= highest))
    return isInPath ? (places.get(bin) ?? []) : []
  })
}

/** Returns the bins that a hop passed. Must be called for every hop, in log order. */
function binsOf({ pool }: Hop, data: Hex, lastBins: Map<Pool, bigint>): Path {
  const path = protocolOf(pool.dex.kind).binsOfSwap?.(data, lastBins.get(pool) ?? null)
  if (path === undefined) return [null, null]
  if (path.last !== null) lastBins.set(pool, path.last)
  return [path.lowest, path.highest]
}

interface Change {
  logIndex: number
  isAdded: boolean
  /** Null if the log states amounts other than shares. */
  shares: bigint | null
}

class PlaceLiquidity {
  readonly #changes: Change[] = []
  #prepared: Prepared | null = null

  /** Changes may come in any order, but before the first call of `isPassing`. */
  add(change: Change): void {
    this.#changes.push(change)
  }

  isPassing(logIndex: number): boolean {
    this.#prepared ??= prepare(this.#changes)
    const { nets, hasShares, firstAdded, lastRemoved } = this.#prepared
    if (!hasShares) return firstAdded < logIndex && lastRemoved > logIndex
    const before = nets[firstWhere(nets.length, (place) => present(nets[place]).logIndex >= logIndex) - 1]
    return before !== undefined && before.net > 0n && before.net > present(nets.at(-1)).net
  }
}

interface Prepared {
  nets: { logIndex: number; net: bigint }[]
  hasShares: boolean
  firstAdded: number
  lastRemoved: number
}

function prepare(changes: readonly Change[]): Prepared {
  const ordered = [...changes].sort((a, b) => a.logIndex - b.logIndex)
  let net = 0n
  return {
    nets: ordered.map(({ logIndex, isAdded, shares }) => {
      if (shares !== null) net += isAdded ? shares : -shares
      return { logIndex, net }
    }),
    hasShares: ordered.some(({ shares }) => shares !== null),
    firstAdded: ordered.find(({ isAdded }) => isAdded)?.logIndex ?? Number.POSITIVE_INFINITY,
    lastRemoved: ordered.findLast(({ isAdded }) => !isAdded)?.logIndex ?? Number.NEGATIVE_INFINITY,
  }
}
