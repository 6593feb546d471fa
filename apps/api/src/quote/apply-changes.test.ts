import { bestRoute, createMarket, type Market, type QuotablePool, type TickLiquidity } from '@dexfeed/dex'
import type { IndexedNetwork, MarketChanges } from '@dexfeed/store'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { expect, test } from 'vitest'
import { applyChanges, KnownBlocks } from './apply-changes.ts'

const [A, B, POOL] = [hexNumber(1), hexNumber(2), hexNumber(0x900)]
const L = 10n ** 21n
const pool: QuotablePool = { address: POOL, token0: A, token1: B, fee: 3_000, tickSpacing: 60 }
const state = { kind: 'concentrated', sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: L } as const
const network = { finalNumber: 5 } as IndexedNetwork
const NONE = { pools: [], states: [], ticks: [] }
const NOTHING = {
  network,
  trusted: [],
  invalidated: [],
  idleBelow: 0,
  ...NONE,
  rollback: null,
  entering: NONE,
  leaving: [],
}

/*
 *  liquidity   L from -600 to 600           the final block 5
 *            100 L from 60 to 600 on top    block 7, which is rolled back
 */
const KEPT = [tick(-600, L), tick(600, -L)]
const ORPHANED = [tick(60, 100n * L), tick(600, -101n * L)]

function tick(at: number, net: bigint): TickLiquidity {
  return { tick: at, gross: net < 0n ? -net : net, net }
}

const at = (blockNumber: number) => (tickLiquidity: TickLiquidity) => ({ ...tickLiquidity, pool: POOL, blockNumber })

function apply(market: Market, changes: Partial<MarketChanges>, blocks: KnownBlocks): void {
  const newPools = market.pool(POOL) === null ? [pool] : []
  for (const _ of applyChanges({ market, blocks, isDust: () => false }, newPools, { ...NOTHING, ...changes }));
}

/** Returns what the pool gives for an amount that moves its price far above tick 60. */
const quote = (market: Market) => bestRoute(market, { sell: B, buy: A, amountIn: L / 50n })?.amountOut

test('removes ticks of rolled-back blocks, so that quotes are as before', () => {
  const market = createMarket([{ pool, state, ticks: KEPT }])
  const before = quote(market)
  const blocks = new KnownBlocks()
  blocks.begin(5)
  apply(market, { ticks: ORPHANED.map(at(7)) }, blocks)
  expect(quote(market)).toBeGreaterThan(before ?? 0n)
  expect(blocks.above(6)).toEqual([POOL])
  const states = [{ pool: POOL, state, blockNumber: 5 }]
  apply(market, { rollback: { ancestor: 6, pools: blocks.above(6), states, ticks: KEPT.map(at(5)) } }, blocks)
  expect(quote(market)).toBe(before)
  expect(blocks.above(5)).toEqual([])
})

test('no longer quotes a pool that only rolled-back blocks contained', () => {
  const market = createMarket([{ pool, state: null }])
  const blocks = new KnownBlocks()
  blocks.begin(5)
  apply(market, { ticks: KEPT.map(at(7)), states: [{ pool: POOL, state, blockNumber: 7 }] }, blocks)
  expect(quote(market)).toBeGreaterThan(0n)
  apply(market, { rollback: { ancestor: 6, pools: blocks.above(6), states: [], ticks: [] } }, blocks)
  expect(quote(market)).toBeUndefined()
  expect(market.pool(POOL)).toBeNull()
  // Its ticks are gone, too: when the pool comes back, it has only the ticks of that change.
  apply(
    market,
    { ticks: [tick(-60, L), tick(60, -L)].map(at(8)), states: [{ pool: POOL, state, blockNumber: 8 }] },
    blocks,
  )
  const fresh = createMarket([{ pool, state, ticks: [tick(-60, L), tick(60, -L)] }])
  expect(quote(market)).toBe(quote(fresh))
})
