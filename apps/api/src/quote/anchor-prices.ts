import { setImmediate as turn } from 'node:timers/promises'
import {
  type Address,
  everyAnchor,
  type Market,
  NEAR_TICKS,
  type PoolAddress,
  type PoolInState,
  ReferenceBook,
  type ReferenceChange,
  type ReferenceConfig,
  type ReferenceEvent,
  type ReferencePool,
} from '@dexfeed/dex'
import type { IndexedNetwork } from '@dexfeed/store'

/** Text length of an address. Pools inside managers have longer ids and are never reference pools. */
const CONTRACT_LENGTH = 42
/** Pools per turn of the event loop, which take a few milliseconds. */
const STEP = 2_000

interface PricedToken {
  address: Address
  decimals: number | null
}

/** Returns the current prices of all anchors. @param settled resolves when the whole market is as of one block */
export async function anchorPrices(
  market: Market,
  network: IndexedNetwork,
  tokens: readonly PricedToken[],
  settled: () => Promise<void> | null = () => null,
): Promise<ReturnType<typeof everyAnchor>> {
  const pools = await referencePools(market, network, settled)
  return pricesByPools(
    pools.flatMap((pool) => market.pool(pool) ?? []),
    network,
    tokens,
  )
}

export async function referencePools(
  market: Market,
  network: IndexedNetwork,
  settled: () => Promise<void> | null = () => null,
): Promise<PoolAddress[]> {
  const book = new ReferenceBook(configOf(network, []), [])
  const found: PoolAddress[] = []
  let checked = 0
  for (const { pool } of market.pools()) {
    if (++checked % STEP === 0) await turn().then(settled)
    if (pool.address.length === CONTRACT_LENGTH && book.isReference(pool)) found.push(pool.address)
  }
  return found
}

export function pricesByPools(
  pools: readonly PoolInState[],
  network: IndexedNetwork,
  tokens: readonly PricedToken[],
): ReturnType<typeof everyAnchor> {
  // All states are current, so all have the same age.
  const block = { number: 0, timestamp: 0 }
  const references: ReferencePool[] = []
  const changes: ReferenceChange[] = []
  for (const poolInState of pools) {
    const { address, token0, token1 } = poolInState.pool
    if (poolInState.state === null || poolInState.state.kind === 'formula') continue
    references.push({ address, token0, token1, tickSpacing: 1 })
    for (const event of liquidityOf(poolInState)) changes.push({ pool: address, block, event })
    changes.push({ pool: address, block, event: { type: 'price', state: poolInState.state } })
  }
  const book = new ReferenceBook(configOf(network, tokens), references, changes)
  return everyAnchor(book.pricesAt({ number: 1, timestamp: 0 }))
}

function configOf(
  { wrappedNative, stablecoins, anchors }: IndexedNetwork,
  tokens: readonly PricedToken[],
): ReferenceConfig {
  const decimals = new Map<Address, number>()
  for (const token of tokens) if (token.decimals !== null) decimals.set(token.address, token.decimals)
  const others = anchors.filter((token) => !stablecoins.includes(token))
  // All states are as of one block, so none has to settle.
  return { wrappedNative, stablecoins, anchors: others, decimals, settlingBlocks: 1, hourBlocks: 1 }
}

function liquidityOf({ state, ticks }: PoolInState): ReferenceEvent[] {
  const events: ReferenceEvent[] = []
  if (ticks === null || state?.kind !== 'concentrated') return events
  let tickLower = 0
  let delta = 0n
  for (let index = 0; index < ticks.size; index++) {
    const tickUpper = ticks.tickAt(index) as number
    const isNear = tickUpper > state.tick - NEAR_TICKS && tickLower <= state.tick + NEAR_TICKS
    if (delta > 0n && isNear) events.push({ type: 'liquidity', tickLower, tickUpper, delta })
    tickLower = tickUpper
    delta += ticks.netAt(index)
  }
  return events
}
