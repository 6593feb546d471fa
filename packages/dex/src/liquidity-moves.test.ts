import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, type Block, ZERO_ADDRESS } from './chain.ts'
import { liquidityMoves, moveValueE8 } from './liquidity-moves.ts'
import { getSqrtRatioAtTick, getTickAtSqrtRatio } from './maths/tick-math.ts'
import type { Pool } from './pool.ts'
import type { LiquidityEvent, PoolEvent, Provided } from './pool-event.ts'
import { heldAmounts } from './quote/pool-maths/held-amounts.ts'
import { TickList } from './quote/pool-maths/tick-list.ts'

const [USDC, FOO, WETH, BAR] = ['0x01', '0xf0', '0x03', '0xba'] as const
const SIGNER: Address = '0x51'
const dex = { name: 'dex', kind: 'uniswap-v4', factory: '0xfa' } as const
const pool: Pool = { address: '0xa1', dex, token0: USDC, token1: FOO, fee: 0, tickSpacing: 1 }
const block: Block = {
  number: 7,
  timestamp: 70,
  hash: '0x07',
  parentHash: '0x06',
  logs: [],
  transactions: new Map([[3, { hash: '0x33', from: SIGNER, value: 0n }]]),
}
const place = (logIndex: number) => ({ family: 'managed', pool: pool.address, transactionIndex: 3, logIndex }) as const

function movesOf(events: readonly PoolEvent[], of: Pool = pool) {
  return liquidityMoves(block, events, new Map([[of.address, of]]))
}

function modified(logIndex: number, event: Pick<LiquidityEvent, 'tickLower' | 'tickUpper' | 'delta'>): LiquidityEvent {
  return { type: 'liquidity', ...place(logIndex), ...event }
}

describe('a manager tells no amounts: they are', () => {
  const range = { tickLower: -60, tickUpper: 120, delta: 10n ** 18n }
  const price = (logIndex: number, tick: number): PoolEvent => {
    return { type: 'initialize', ...place(logIndex), sqrtPriceX96: getSqrtRatioAtTick(tick), tick }
  }

  test('those at the price that an earlier event of the block shows, rounded for the pool', () => {
    const position = fc.record({
      tickLower: fc.integer({ min: -3_000, max: 3_000 }),
      width: fc.integer({ min: 1, max: 3_000 }),
      liquidity: fc.bigInt({ min: 1n, max: 10n ** 24n }),
      tick: fc.integer({ min: -4_000, max: 4_000 }),
      above: fc.bigInt({ min: 0n, max: 2n ** 80n }),
      isSwap: fc.boolean(),
    })
    fc.assert(
      fc.property(position, ({ tickLower, width, liquidity, tick: near, above, isSwap }) => {
        const sqrtPriceX96 = getSqrtRatioAtTick(near) + above
        const tick = getTickAtSqrtRatio(sqrtPriceX96)
        const tickUpper = tickLower + width
        const inRange = tickLower <= tick && tick < tickUpper ? liquidity : 0n
        const state = { kind: 'concentrated', sqrtPriceX96, tick, liquidity: inRange } as const
        const shown: PoolEvent = isSwap
          ? { type: 'swap', ...place(1), amount0: 1n, amount1: -1n, state }
          : { type: 'initialize', ...place(1), sqrtPriceX96, tick }
        const [added, removed] = [liquidity, -liquidity].map(
          (delta) => movesOf([shown, modified(2, { tickLower, tickUpper, delta })])[0]?.amounts,
        )
        // What the position holds, computed by the ticks of a pool that has no other.
        const ticks = [
          { tick: tickLower, gross: liquidity, net: liquidity },
          { tick: tickUpper, gross: liquidity, net: -liquidity },
        ]
        const held = heldAmounts({ pool, state, ticks: new TickList(1, ticks), formula: null })
        expect(removed).toEqual(held)
        const [lower, upper] = [getSqrtRatioAtTick(tickLower), getSqrtRatioAtTick(tickUpper)]
        const price = sqrtPriceX96 < lower ? lower : sqrtPriceX96 > upper ? upper : sqrtPriceX96
        // The exact amounts as fractions.
        const exact = [
          [liquidity * 2n ** 96n * (upper - price), upper * price],
          [liquidity * (price - lower), 2n ** 96n],
        ] as const
        for (const [side, [numerator, denominator]] of exact.entries()) {
          const more = (added?.[side] ?? -1n) - (removed?.[side] ?? 0n)
          expect(more === 0n || more === 1n || (side === 0 && more === 2n), String(more)).toBe(true)
          expect((added?.[side] ?? -1n) * denominator).toBeGreaterThanOrEqual(numerator)
        }
      }),
    )
  })

  test('unknown without such an event, also if a later one shows the price', () => {
    const [move] = movesOf([modified(1, range), price(2, 0)])
    expect(move).toMatchObject({ isAdded: true, amounts: null })
    expect(move?.range).toEqual({ tickLower: -60, tickUpper: 120, liquidity: 10n ** 18n })
  })

  test('those at the last price before the event', () => {
    const amounts = movesOf([price(1, 0), price(2, 500), modified(3, range)])[0]?.amounts
    expect(amounts).toEqual(movesOf([price(1, 500), modified(2, range)])[0]?.amounts)
    expect(amounts?.[0]).toBe(0n)
  })
})

test('an event with amounts keeps them, names its transaction, and its sign tells an addition from a removal', () => {
  const event = { ...modified(4, { tickLower: 0, tickUpper: 1, delta: -5n }), amounts: [7n, 0n] as const }
  expect(movesOf([event])).toEqual([
    {
      blockNumber: 7,
      timestamp: 70,
      transactionIndex: 3,
      logIndex: 4,
      txHash: '0x33',
      account: SIGNER,
      pool: '0xa1',
      coins: [USDC, FOO],
      isAdded: false,
      amounts: [7n, 0n],
      range: { tickLower: 0, tickUpper: 1, liquidity: 5n },
    },
  ])
})

test('collecting fees moves no liquidity, and pools that are not verified have none', () => {
  expect(movesOf([modified(1, { tickLower: 0, tickUpper: 1, delta: 0n })])).toEqual([])
  expect(liquidityMoves(block, [modified(1, { tickLower: 0, tickUpper: 1, delta: 1n })], new Map())).toEqual([])
  expect(movesOf([{ type: 'touch', ...place(1) }])).toEqual([])
})

test.each<[string, Provided, readonly bigint[] | null]>([
  ['by token, in any order', { isAdded: true, amounts: [1n, 2n, 3n], tokens: [BAR, USDC, FOO] }, [2n, 3n, 1n]],
  ['by token, without some', { isAdded: true, amounts: [4n], tokens: [FOO] }, [0n, 4n, 0n]],
  ['of a token outside of the pool', { isAdded: true, amounts: [4n, 1n], tokens: [FOO, WETH] }, null],
  ['of none of such a token', { isAdded: true, amounts: [4n, 0n], tokens: [FOO, WETH] }, [0n, 4n, 0n]],
  ['that the event does not tell', { isAdded: false, amounts: null }, null],
  ['by coin', { isAdded: false, amounts: [5n, 6n, 7n] }, [5n, 6n, 7n]],
  ['by coin, before one that was listed later', { isAdded: false, amounts: [5n, 6n] }, [5n, 6n, 0n]],
  ['of more coins than are known', { isAdded: false, amounts: [5n, 6n, 7n, 8n] }, null],
])('amounts %s are those of the pool by coin', (_, provided, amounts) => {
  const ofThree = { ...pool, coins: [USDC, FOO, BAR] }
  expect(movesOf([{ type: 'touch', ...place(1), provided }], ofThree)).toMatchObject([{ amounts }])
  expect(movesOf([{ type: 'provided', ...place(1), provided }], ofThree)).toMatchObject([{ amounts }])
})

describe('the value', () => {
  const E18 = 10n ** 18n
  const price = (priceE18: bigint, decimals: number) => ({ priceE18, decimals, depegged: false, isOld: false })
  const anchors = new Map([
    [USDC, price(E18, 6)],
    [WETH, price(3_000n * E18, 18)],
  ])
  const value = (coins: readonly Address[], amounts: readonly bigint[] | null) =>
    moveValueE8({ coins, amounts }, anchors, WETH)

  test('is that of the anchors, nothing for others, and unknown without an anchor or without amounts', () => {
    expect(value([USDC, FOO], [2_500_000n, E18])).toBe(250_000_000n)
    expect(value([USDC, WETH], [1_000_000n, E18])).toBe(300_100_000_000n)
    expect(value([ZERO_ADDRESS, FOO], [E18, 5n])).toBe(300_000_000_000n)
    expect(value([FOO, BAR], [5n, 5n])).toBeNull()
    expect(value([USDC, FOO], null)).toBeNull()
    expect(value([USDC, FOO], [0n, 7n])).toBe(0n)
  })
})
