import { intWord, uintWord, WORD } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import type { DexKind, Pool } from '../../pool.ts'
import { contractIn } from '../../protocols/balancer/balancer-v2.ts'
import { emitterOf } from '../../protocols/managed-pool.ts'
import { protocolOf } from '../../protocols/registry.ts'
import type { Hop } from '../trade.ts'
import { liquidityChanges, mayTakeLiquidity } from './liquidity-logs.ts'

/** The vaults' pools whose shares are a contract of their own. */
const VAULT_KINDS: ReadonlySet<DexKind> = new Set<DexKind>(['balancer-v2', 'balancer-v3'])
/** Their swaps tell a bin. */
const WITH_BINS: ReadonlySet<DexKind> = new Set<DexKind>(['liquidity-book', 'pancakeswap-infinity-bin'])
/** Of the data of either swap, up to the bin. */
const LEAST_WORDS = 3

/** What one place of a pool (a bin, or all of it) got and gave of liquidity, in log order. */
interface Place {
  bin: bigint | null
  changes: { logIndex: number; isAdded: boolean; shares: bigint | null }[]
}

/**
 * The hops of a transaction, marked where they may have gone through liquidity which the transaction put into their pool
 * before and took out after. That is told by the receipt here: of pairs, of Curve, of Balancer, of pools of bins. Of
 * concentrated liquidity the events of the pools tell it (jit-liquidity.ts). docs/usd.md states the rules.
 *
 * @param logs every log of the transaction, in their order
 */
export function withPassingLiquidity(hops: readonly Hop[], logs: readonly Log[]): readonly Hop[] {
  // Most transactions.
  if (!logs.some(mayTakeLiquidity) && !hops.some(swapsShares)) return hops
  const pools = placesByPool(hops, logs)
  if (pools === null) return hops
  const lastBins = new Map<Pool, bigint>()
  return hops.map((hop) => {
    const places = pools.get(hop.pool)
    if (places === undefined || swapsShares(hop)) return hop
    const path = binsOf(hop, logs, lastBins)
    const isPassing = places.some(({ bin, changes }) => isInPath(bin, path) && comesAndGoes(changes, hop.logIndex))
    return isPassing ? { ...hop, isOfJitLiquidity: true } : hop
  })
}

/** Null: no pool of the hops gave any liquidity back. */
function placesByPool(hops: readonly Hop[], logs: readonly Log[]): Map<Pool, Place[]> | null {
  const names = new Map<Hex, Pool>()
  for (const { pool } of hops) for (const name of namesOf(pool)) names.set(name, pool)
  const emitters = new Set([...names.keys()].map(emitterOf))
  const pools = new Map<Pool, Place[]>()
  const note = (pool: Pool, bin: bigint | null, change: Place['changes'][number]) => {
    const places = pools.get(pool) ?? []
    pools.set(pool, places)
    const place = places.find((one) => one.bin === bin) ?? { bin, changes: [] }
    if (place.changes.length === 0) places.push(place)
    place.changes.push(change)
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
  const isLeft = [...pools.values()].some((places) => places.some(({ changes }) => changes.some((one) => !one.isAdded)))
  return isLeft ? pools : null
}

/** What logs name a pool by: its address, and the contract of its shares. */
function namesOf(pool: Pool): Hex[] {
  const share = shareOf(pool)
  return share === null || share === pool.address ? [pool.address] : [pool.address, share]
}

/** The token of a pool's shares; null where it is not known. */
function shareOf({ address, dex }: Pool): Address | null {
  if (emitterOf(address) === address) return emitterOf(address)
  return VAULT_KINDS.has(dex.kind) ? contractIn(address) : null
}

/** Such a hop is itself liquidity that is put in or taken out. */
function swapsShares({ pool, tokenIn, tokenOut }: Hop): boolean {
  const shares = protocolOf(pool.dex.kind).sharesOf?.(pool)
  return shares != null && !shares.isWrapper && (shares.token === tokenIn || shares.token === tokenOut)
}

/**
 * Whether liquidity stands there at a log that the transaction put in before and takes out after. Shares are netted: what
 * is there at the log is more than what is there in the end. Where no log tells shares, some was put in and some is taken.
 */
function comesAndGoes(changes: Place['changes'], at: number): boolean {
  if (changes.every(({ shares }) => shares === null)) {
    return (
      changes.some(({ logIndex, isAdded }) => isAdded && logIndex < at) &&
      changes.some(({ logIndex, isAdded }) => !isAdded && logIndex > at)
    )
  }
  const netOf = (some: Place['changes']) =>
    some.reduce((net, { isAdded, shares }) => net + (isAdded ? 1n : -1n) * (shares ?? 0n), 0n)
  const net = netOf(changes.filter(({ logIndex }) => logIndex < at))
  return net > 0n && net > netOf(changes)
}

type Path = readonly [lowest: bigint | null, highest: bigint | null]

function isInPath(bin: bigint | null, [lowest, highest]: Path): boolean {
  return bin === null || ((lowest === null || bin >= lowest) && (highest === null || bin <= highest))
}

/**
 * The bins that a hop may have been in; null: as far as there are any. Liquidity Book tells each bin's part by itself,
 * Infinity the bin in the end: a swap that pays token0 goes downwards to it, from the bin of the swap before.
 */
function binsOf({ pool, logIndex }: Hop, logs: readonly Log[], lastBins: Map<Pool, bigint>): Path {
  const data = logs.find((log) => log.logIndex === logIndex)?.data ?? '0x'
  if (!WITH_BINS.has(pool.dex.kind) || data.length < 2 + LEAST_WORDS * WORD) return [null, null]
  if (pool.dex.kind === 'liquidity-book') {
    const bin = uintWord(data, 0)
    return [bin, bin]
  }
  const before = lastBins.get(pool) ?? null
  const bin = uintWord(data, 2)
  lastBins.set(pool, bin)
  // The manager tells amounts as the swapper sees them.
  return intWord(data, 0) < 0n ? [bin, before] : [before, bin]
}
