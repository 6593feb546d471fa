import { setImmediate as turn } from 'node:timers/promises'
import {
  type Address,
  everyAnchor,
  type Market,
  ReferenceBook,
  type ReferencePool,
  type ReferenceState,
  type Token,
} from '@dexfeed/dex'
import type { IndexedNetwork } from '@dexfeed/store'

/** A contract's address: pools inside of managers have longer ones, and are no reference. */
const CONTRACT_LENGTH = 42

/** Pools that are looked at before others have their turn: a few milliseconds. */
const STEP = 2_000

/**
 * The prices of all anchors: the median over their reference pools in a market, in their states of now.
 *
 * @param settled waits until the market stands as of one block
 */
export async function anchorPrices(
  market: Market,
  {
    wrappedNative,
    stablecoins,
    anchors,
    head,
  }: Pick<IndexedNetwork, 'wrappedNative' | 'stablecoins' | 'anchors' | 'head'>,
  tokens: readonly Token[],
  settled: () => Promise<void> | null = () => null,
): Promise<ReturnType<typeof everyAnchor>> {
  const decimals = new Map(tokens.flatMap(({ address, decimals: of }) => (of === null ? [] : [[address, of] as const])))
  const others = anchors.filter((token) => !stablecoins.includes(token))
  const config = { wrappedNative, stablecoins, anchors: others, decimals }
  const kind = new ReferenceBook(config, [])
  const pools: ReferencePool[] = []
  const states: [Address, ReferenceState][] = []
  // A state that nothing has moved since is the one of now.
  const timestamp = head?.timestamp ?? 0
  let looked = 0
  for (const { pool, state } of market.pools()) {
    if (++looked % STEP === 0) await turn().then(settled)
    if (state === null || pool.address.length !== CONTRACT_LENGTH || !kind.isReference(pool)) continue
    pools.push(pool)
    states.push([pool.address, { state, timestamp }])
  }
  return everyAnchor(new ReferenceBook(config, pools, states).pricesAt(timestamp))
}
