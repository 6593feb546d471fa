import { expect, inject, test } from 'vitest'
import {
  MadeChain,
  type MadePool,
  pairPool,
  type RangePool,
  randomOf,
  rangePool,
  tickOf,
  USDC,
  USDT,
  WETH,
} from './made-world.ts'

const START = 2_000

/**
 * Honest pools, which follow a random walk of the price, and empty tiers:
 *
 *   WETH/USDC 0.05 %, 0.3 % and a pair     WETH/USDT 0.05 %     USDC/USDT 0.01 %
 *   unused: WETH/USDC 1 %, WETH/USDT 1 % and 0.3 %, USDC/USDT 0.05 % and 1 %
 */
function market(withMints: boolean) {
  const wide = (pool: RangePool, halfWidth: number, usd: number) => {
    const spacing = pool.reference.tickSpacing
    const middle = Math.floor(tickOf(pool.price) / spacing) * spacing
    const width = Math.ceil(halfWidth / spacing) * spacing
    return pool.mint(middle - width, middle + width, usd)
  }
  const main = rangePool('0xa1', WETH, USDC, 10, START)
  const slow = rangePool('0xa2', WETH, USDC, 60, START)
  const pair = pairPool('0xa3', WETH, USDC, START, 5_000_000)
  const other = rangePool('0xa4', WETH, USDT, 10, START)
  const mutual = rangePool('0xa5', USDC, USDT, 1, 1)
  const mints = [
    wide(main, 6_000, 20_000_000),
    wide(slow, 8_000, 10_000_000),
    wide(other, 6_000, 8_000_000),
    wide(mutual, 10, 5_000_000),
  ]
  const unused = [
    rangePool('0xb1', WETH, USDC, 200, START),
    rangePool('0xb2', WETH, USDT, 200, START),
    rangePool('0xb3', WETH, USDT, 60, START),
  ]
  const unusedMutual = [rangePool('0xb4', USDC, USDT, 10, 1), rangePool('0xb5', USDC, USDT, 200, 1)]
  const honest = [main, slow, pair, other]
  const chain = new MadeChain([...honest, mutual, ...unused, ...unusedMutual])
  if (withMints)
    for (const [at, pool] of [main, slow, other, mutual].entries()) {
      const mint = mints[at]
      if (mint !== undefined) chain.emit(pool, mint)
    }
  const depth = () => [...honest, mutual].reduce((sum, pool) => sum + pool.depth(), 0)
  return { chain, honest, mutual, unused, unusedMutual, depth }
}

type Market = ReturnType<typeof market>

/** Trades honestly for some blocks; each pool stays within its fee of the market price. */
function trade(
  { chain, honest, mutual }: Market,
  price: { now: number },
  random: () => number,
  blocks: number,
  then?: () => void,
): void {
  for (let i = 0; i < blocks; i++) {
    price.now *= Math.exp(0.0006 * (random() + random() + random() - 1.5))
    for (const pool of honest) {
      if (random() < 0.4) chain.emit(pool, pool.swapTo(price.now * (1 + 0.0008 * (random() - 0.5))))
    }
    if (random() < 0.2) chain.emit(mutual, mutual.swapTo(1 + 0.0004 * (random() - 0.5)))
    then?.()
    chain.mine()
  }
}

type Attack = (market: Market, random: () => number) => () => void

/** Returns the largest fraction by which an attack moves a price, over the blocks after its start. */
function damage(seed: number, withMints: boolean, attack: Attack): number {
  const [attacked, calm] = [market(withMints), market(withMints)]
  const worlds = [attacked, calm].map((each) => ({ one: each, random: randomOf(seed), price: { now: START } }))
  for (const { one, price, random } of worlds) trade(one, price, random, 400)
  const each = attack(attacked, randomOf(seed + 1))
  let worst = 0
  for (let block = 0; block < 300; block++) {
    for (const { one, price, random } of worlds) trade(one, price, random, 1, one === attacked ? each : undefined)
    const [bent, straight] = [attacked.chain.usd(), calm.chain.usd()]
    for (const coin of ['weth', 'usdc', 'usdt'] as const) {
      worst = Math.max(worst, Math.abs(bent[coin] / straight[coin] - 1))
    }
  }
  return worst
}

function expectHarmless(seed: number, attack: Attack): void {
  for (const withMints of [true, false]) expect(damage(seed, withMints, attack)).toBeLessThan(0.005)
}

const SEEDS = inject('scale') > 1 ? [1, 2, 3, 4, 5, 6] : [1, 2]
const noop = () => undefined

test.each(SEEDS)('liquidity that is minted, swapped through and burnt in a block moves nothing (%d)', (seed) => {
  const attack = ({ chain, unused, unusedMutual }: Market) => {
    for (const [pool, price] of [
      ...unused.map((rangePool): [RangePool, number] => [rangePool, START * 1.9]),
      ...unusedMutual.map((rangePool): [RangePool, number] => [rangePool, 0.9]),
    ]) {
      const lower = Math.floor(tickOf(price) / pool.reference.tickSpacing) * pool.reference.tickSpacing
      const upper = lower + pool.reference.tickSpacing
      chain.emit(pool, pool.mint(lower, upper, 1e9), pool.swapTo(price), pool.burn(lower, upper, 1e9))
    }
    return noop
  }
  expectHarmless(seed, attack)
})

test.each(SEEDS)('any amount of money at the end of one block moves nothing (%d)', (seed) => {
  const attack = ({ chain, honest, mutual, unused }: Market, random: () => number) => {
    let block = 0
    const factor = random() < 0.5 ? 1.9 : 0.5
    return () => {
      // The honest pools are moved, and traders in the next block take what is offered there.
      if (block === 2) {
        for (const pool of honest) chain.emit(pool, pool.swapTo(pool.price * factor))
        chain.emit(mutual, mutual.swapTo(0.9))
        for (const pool of unused) {
          const lower = Math.floor(tickOf(START * factor) / 200) * 200
          if (pool.reference.tickSpacing === 200)
            chain.emit(pool, pool.mint(lower, lower + 200, 1e9), pool.swapTo(START * factor))
        }
      }
      if (block === 3) {
        for (const pool of honest) chain.emit(pool, pool.swapTo(pool.price / factor))
        chain.emit(mutual, mutual.swapTo(1))
        for (const pool of unused) {
          const lower = Math.floor(tickOf(START * factor) / 200) * 200
          if (pool.reference.tickSpacing === 200) chain.emit(pool, pool.burn(lower, lower + 200, 1e9))
        }
      }
      block += 1
    }
  }
  expectHarmless(seed, attack)
})

test.each(SEEDS)('one-tick positions of a twentieth of the honest money, at any price, move nothing (%d)', (seed) => {
  const attack = (world: Market, random: () => number) => {
    const { chain, unused, unusedMutual } = world
    const pools = [...unused, ...unusedMutual]
    const budget = world.depth() * 0.05
    const cuts = pools.map(random)
    const total = cuts.reduce((a, b) => a + b, 0)
    const positions = pools.map((pool, at) => {
      const factor = [1.9, 0.5, 1.2, 0.9, 1.01, 0.99][Math.floor(random() * 6)] ?? 1
      const price = (unusedMutual.includes(pool) ? 1 : START) * factor
      const { tickSpacing } = pool.reference
      const lower = Math.floor(tickOf(price) / tickSpacing) * tickSpacing
      chain.emit(pool, pool.mint(lower, lower + tickSpacing, (budget * (cuts[at] ?? 0)) / total))
      return { pool, lower, price: pool.reference.tickSpacing }
    })
    return () => {
      for (const { pool, lower } of positions) {
        chain.emit(pool, pool.swapTo(1.0001 ** (lower + Math.floor(random() * pool.reference.tickSpacing) + 0.5)))
      }
    }
  }
  expectHarmless(seed, attack)
})

test.each(SEEDS)('nor do they where they were made before any look back, and stay (%d)', (seed) => {
  const attack = (world: Market, random: () => number) => {
    const { chain, unused } = world
    const positions = unused.map((pool) => {
      const { tickSpacing } = pool.reference
      const lower = Math.floor(tickOf(START * (random() < 0.5 ? 1.9 : 0.5)) / tickSpacing) * tickSpacing
      pool.mint(lower, lower + tickSpacing, 1_050)
      return { pool, lower }
    })
    return () => {
      for (const { pool, lower } of positions) chain.emit(pool, pool.swapTo(1.0001 ** (lower + 0.5)))
    }
  }
  expectHarmless(seed, attack)
})

test.each(SEEDS)(
  'a twentieth of the honest money that is traded against honest pools moves them by little (%d)',
  (seed) => {
    const attack = ({ chain, honest }: Market) => {
      // Moving the price by 2 % takes all the money that counts on one side, so a tenth of it moves all pools by 0.2 %.
      return () => {
        for (const pool of honest) chain.emit(pool, pool.swapTo(pool.price * 1.002))
      }
    }
    const forgetful = (market: Market) => {
      const bent = new Map<MadePool, number>()
      const each = attack(market)
      return () => {
        for (const pool of market.honest) bent.set(pool, pool.price)
        each()
        for (const pool of market.honest) pool.price = bent.get(pool) ?? pool.price
      }
    }
    expect(damage(seed, true, forgetful)).toBeLessThan(0.005)
  },
)

// twelve hours with one swap an hour, in a pool whose swaps each show one tick
// 5 % in one position, for an hour
test.each([1.9, 0.5, 1.05])(
  'quiet pools that show little outweigh money of an hour (at %d times the price)',
  (factor) => {
    for (const seed of SEEDS) {
      const prices = [true, false].map((isAttacked) => {
        const honest = rangePool('0xa1', WETH, USDC, 1, START)
        const liar = rangePool('0xb1', WETH, USDC, 200, START)
        const middle = tickOf(START)
        honest.mint(middle - 6_000, middle + 6_000, 20_000_000)
        const chain = new MadeChain([honest, liar])
        const random = randomOf(seed)
        const lower = Math.floor(tickOf(START * factor) / 200) * 200
        return Array.from({ length: 3_900 }, (_, block) => {
          const isSwap = random() < 1 / 300 || block === 0
          const price = honest.price * Math.exp(0.0008 * (random() - 0.5) * Math.sqrt(300))
          if (isSwap) chain.emit(honest, honest.swapTo(price))
          if (isAttacked && block === 3_600) chain.emit(liar, liar.mint(lower, lower + 200, honest.depth() * 0.025))
          if (isAttacked && block >= 3_600) chain.emit(liar, liar.swapTo(1.0001 ** (lower + 100)))
          chain.mine()
          return block < 3_600 ? 1 : chain.usd().weth
        })
      })
      const [bent = [], straight = []] = prices
      const worst = Math.max(...bent.map((price, at) => Math.abs(price / (straight[at] ?? 0) - 1)))
      expect(worst).toBeLessThan(0.005)
    }
  },
)

// no honest pool of two stablecoins
// one at 0.9, with 5 % of the honest money
test.each([0.9, 1.1])('a lone pool of two stablecoins with little money does not depeg one (at %d)', (rate) => {
  const pools = [pairPool('0xa1', WETH, USDC, START, 5_000_000), pairPool('0xa2', WETH, USDT, START, 5_000_000)]
  const liar = rangePool('0xb1', USDC, USDT, 10, 1)
  const chain = new MadeChain([...pools, liar])
  const lower = Math.floor(tickOf(rate) / 10) * 10
  const depth = pools.reduce((sum, pool) => sum + pool.depth(), 0)
  for (let block = 0; block < 1_200; block++) {
    for (const pool of pools) chain.emit(pool, pool.swapTo(START * (1 + (block % 3) / 1_000)))
    if (block === 400) chain.emit(liar, liar.mint(lower, lower + 10, depth * 0.025))
    if (block >= 400) chain.emit(liar, liar.swapTo(1.0001 ** (lower + 5)))
    chain.mine()
    if (block > 400) expect(chain.usd()).toMatchObject({ usdc: 1, usdt: 1 })
  }
})

test('nor does more money, but half of what speaks against it does, or what the wrapped coin costs', () => {
  const priced = (side: number, weth: number) => {
    const pools = [pairPool('0xa1', WETH, USDC, weth, 5_000_000), pairPool('0xa2', WETH, USDT, START, 5_000_000)]
    const mutual = pairPool('0xa3', USDC, USDT, 0.9, side)
    const chain = new MadeChain([...pools, mutual])
    for (let block = 0; block < 20; block++, chain.mine()) {
      chain.emit(pools[0] ?? mutual, (pools[0] ?? mutual).swapTo(weth))
      chain.emit(pools[1] ?? mutual, (pools[1] ?? mutual).swapTo(START))
      chain.emit(mutual, mutual.swapTo(0.9))
    }
    return chain.usd().usdc
  }
  expect([priced(2_300_000, START), priced(2_700_000, START)]).toEqual([1, expect.closeTo(0.9, 3)])
  expect(priced(100_000, START / 0.9)).toBeCloseTo(0.9, 3)
})
