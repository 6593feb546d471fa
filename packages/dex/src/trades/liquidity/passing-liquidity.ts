import type { Log } from '../../chain/block.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import type { Pool } from '../../pool.ts'
import { present } from '../../present.ts'
import { emitterOf } from '../../venues/managed-pool.ts'
import { protocolOf } from '../../venues/registry.ts'
import type { Hop } from '../trade.ts'
import { firstWhere } from '../transfer-index.ts'
import { liquidityChanges, mayTakeLiquidity } from './liquidity-logs.ts'

/** Per bin of a pool; null: the whole pool. */
type Places = Map<bigint | null, PlaceLiquidity>

/**
 * Marks the hops of a transaction that may have used liquidity which the transaction added to their pool before and
 * removed after. Reads this from the receipt (all `logs`, in order) for pairs, Curve, Balancer and pools of bins. For
 * concentrated liquidity, `swapsOfJitLiquidity` reads it from the pools' events. Rules: docs/internals/usd.md.
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

/** Returns null if no pool of the hops lost any liquidity. */
function placesByPool(hops: readonly Hop[], logs: readonly Log[]): Map<Pool, Places> | null {
  const names = new Map<Hex, Pool>()
  for (const { pool } of hops) for (const name of namesOf(pool)) names.set(name, pool)
  const emitters = new Set([...names.keys()].map(emitterOf))
  const pools = new Map<Pool, Places>()
  let isLeft = false
  const note = (pool: Pool, bin: bigint | null, change: Change) => {
    const places: Places = pools.get(pool) ?? new Map()
    pools.set(pool, places)
    const place = places.get(bin) ?? new PlaceLiquidity()
    places.set(bin, place)
    place.add(change)
    isLeft ||= !change.isAdded
  }
  for (const log of logs) {
    if (!emitters.has(log.address)) continue
    for (const { of, bin, isAdded, shares } of liquidityChanges(log)) {
      const pool = names.get(of)
      if (pool !== undefined) note(pool, bin, { logIndex: log.logIndex, isAdded, shares })
    }
  }
  for (const hop of hops) {
    if (!swapsShares(hop)) continue
    const isAdded = hop.tokenOut === shareOf(hop.pool)
    note(hop.pool, null, { logIndex: hop.logIndex, isAdded, shares: isAdded ? hop.amountOut : hop.amountIn })
  }
  return isLeft ? pools : null
}

/** Returns the addresses that logs use for a pool: its own, and the contract of its shares. */
function namesOf(pool: Pool): Hex[] {
  const share = shareOf(pool)
  return share === null || share === pool.address ? [pool.address] : [pool.address, share]
}

/** Returns the token of a pool's shares; null if it is unknown. */
function shareOf(pool: Pool): Address | null {
  const { address, dex } = pool
  if (emitterOf(address) === address) return emitterOf(address)
  return protocolOf(dex.kind).shareToken?.(pool) ?? null
}

/** Such a hop itself adds or removes liquidity. */
function swapsShares({ pool, tokenIn, tokenOut }: Hop): boolean {
  const shares = protocolOf(pool.dex.kind).sharesOf?.(pool)
  return shares != null && !shares.isWrapper && (shares.token === tokenIn || shares.token === tokenOut)
}

type Path = readonly [lowest: bigint | null, highest: bigint | null]

/** Returns the places of a pool that a path goes through. */
function placesIn([lowest, highest]: Path, places: Places): PlaceLiquidity[] {
  const bins = lowest !== null && lowest === highest ? [lowest, null] : [...places.keys()]
  return bins.flatMap((bin) => {
    const isInPath = bin === null || ((lowest === null || bin >= lowest) && (highest === null || bin <= highest))
    return isInPath ? (places.get(bin) ?? []) : []
  })
}

/** Returns the bins that a hop may have used. Call it hop by hop, in log order. */
function binsOf({ pool }: Hop, data: Hex, lastBins: Map<Pool, bigint>): Path {
  const path = protocolOf(pool.dex.kind).binsOfSwap?.(data, lastBins.get(pool) ?? null)
  if (path === undefined) return [null, null]
  if (path.last !== null) lastBins.set(pool, path.last)
  return [path.lowest, path.highest]
}

/** Liquidity that was added or removed. */
interface Change {
  logIndex: number
  isAdded: boolean
  /** Null if the log contains other amounts. */
  shares: bigint | null
}

/** The liquidity changes at one place of a pool (a bin, or the whole pool) in a transaction. */
class PlaceLiquidity {
  readonly #changes: Change[] = []
  /** Computed at the first use. */
  #prepared: Prepared | null = null

  /** Adds a change, in any order, before the first `isPassing`. */
  add(change: Change): void {
    this.#changes.push(change)
  }

  /**
   * Returns whether liquidity is there at a log that the transaction added before and removes after. If logs contain
   * shares, the net at the log exceeds the net at the end. Otherwise, some was added before and some is removed after.
   */
  isPassing(at: number): boolean {
    this.#prepared ??= prepare(this.#changes)
    const { nets, hasShares, firstAdded, lastRemoved } = this.#prepared
    if (!hasShares) return firstAdded < at && lastRemoved > at
    const before = nets[firstWhere(nets.length, (place) => present(nets[place]).logIndex >= at) - 1]
    return before !== undefined && before.net > 0n && before.net > present(nets.at(-1)).net
  }
}

interface Prepared {
  /** In log order, with the net of shares including each change. */
  nets: { logIndex: number; net: bigint }[]
  /** Some log contains shares. */
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
