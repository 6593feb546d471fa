import { type AnchorPrice, everyAnchor } from '../anchor-prices.ts'
import type { Address } from '../chain.ts'
import type { Deployment } from '../deployments/deployment.ts'
import type { ReferenceEvent } from '../pool-event.ts'
import type { PoolInState } from '../quote/pool-maths/pool-in-state.ts'
import { NEAR_TICKS } from './reference/known-liquidity.ts'
import type { ReferenceChange, ReferenceConfig, ReferencePool } from './reference/reference-pool.ts'
import { ReferenceBook } from './reference-book.ts'

export type TrustedTokens = Pick<Deployment, 'wrappedNative' | 'stablecoins' | 'anchors'>

interface PricedToken {
  address: Address
  decimals: number | null
}

/** Text length of an address. Pools inside managers have longer ids and are never reference pools. */
const CONTRACT_LENGTH = 42

/** Returns a test for pools between two trusted tokens, one of them a stablecoin. */
export function referenceTest(trusted: TrustedTokens): (pool: PoolInState['pool']) => boolean {
  const book = new ReferenceBook(configOf(trusted, []), [])
  return (pool) => pool.address.length === CONTRACT_LENGTH && book.isReference(pool)
}

/** Returns the prices of all anchors that reference pools show in states of one block. */
export function pricesOfStates(
  pools: Iterable<PoolInState>,
  trusted: TrustedTokens,
  tokens: Iterable<PricedToken>,
): ReadonlyMap<Address, AnchorPrice> {
  // All states are as of one block, so all have the same age.
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
  const book = new ReferenceBook(configOf(trusted, tokens), references, changes)
  return everyAnchor(book.pricesAt({ number: 1, timestamp: 0 }))
}

function configOf(
  { wrappedNative, stablecoins, anchors }: TrustedTokens,
  tokens: Iterable<PricedToken>,
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
