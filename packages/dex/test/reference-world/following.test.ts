import { expect, test } from 'vitest'
import { BLOCK_S, MadeChain, pairPool, type RangePool, rangePool, tickOf, USDC, USDT, WETH } from './made-world.ts'

const FIVE_MINUTES = 300 / BLOCK_S

/** Pools with liquidity far to both sides that no liquidity event shows, only swaps. */
function market(options: ConstructorParameters<typeof MadeChain>[1] = {}) {
  const wide = (pool: RangePool, usd: number) => {
    const middle = Math.floor(tickOf(pool.price) / 60) * 60
    pool.mint(middle - 12_000, middle + 12_000, usd)
    return pool
  }
  const main = wide(rangePool('0xa1', WETH, USDC, 10, 2_000), 20_000_000)
  const other = wide(rangePool('0xa2', WETH, USDT, 10, 2_000), 8_000_000)
  const pair = pairPool('0xa3', WETH, USDC, 2_000, 5_000_000)
  const mutual = wide(rangePool('0xa4', USDC, USDT, 1, 1), 50_000_000)
  const chain = new MadeChain([main, other, pair, mutual], options)
  const native = [main, other, pair]
  /** Trades at the given prices for some blocks. */
  const trade = (blocks: number, weth: (block: number) => number, usdc: (block: number) => number = () => 1) => {
    for (let block = 0; block < blocks; block++) {
      const [ether, dollar] = [weth(block), usdc(block)]
      for (const pool of native) chain.emit(pool, pool.swapTo(pool === other ? ether : ether / dollar))
      chain.emit(mutual, mutual.swapTo(dollar))
      chain.mine()
    }
  }
  return { chain, trade, main }
}

// 12 March 2020 and 19 May 2021: the price fell by a third within minutes.
// for each network: its own block times, slow ones, missed slots, equal times
test.each([
  ['eth', (number: number) => number * 12],
  ['eth', (number: number) => (number + Math.floor(number / 3)) * 12],
  ['eth', (number: number) => number * 60],
  ['bsc', (number: number) => Math.floor(number * 0.45)],
  ['bsc', (number: number) => number * 3],
  ['bsc', (number: number) => number * 15],
  ['bsc', (number: number) => number * 60],
  ['polygon', (number: number) => number * 2],
  ['polygon', (number: number) => Math.floor(number / 7) * 14],
  ['polygon', (number: number) => number * 45],
] as const)(
  'on %s a fall of a third in one block, or over minutes, is followed within five minutes (block times: %s)',
  (network, timeOf) => {
    for (const minutes of [0, 1, 5, 30]) {
      const { chain, trade } = market({ network, timeOf })
      trade(100, (block) => 2_000 + (block % 3))
      const [start, until] = [chain.next.timestamp, chain.next.timestamp + 60 * minutes]
      const fallen = () => Math.min(1, (chain.next.timestamp - start) / (60 * minutes || 1))
      while (chain.next.timestamp < until) trade(1, () => 2_000 - 600 * fallen())
      while (chain.next.timestamp < until + 300) trade(1, () => 1_400)
      const { weth, flags } = chain.usd()
      expect(weth).toBeLessThan(1_430)
      expect(weth).toBeGreaterThan(1_370)
      expect(flags).toBe(false)
    }
  },
)

//  block   100   101   102 ...
//  price   2,000 100   2,000
test.each([12, 60, 600, 3_600])('nor does one block that is slow set a price (blocks of %d s)', (blockS) => {
  const { chain, trade } = market({ timeOf: (number) => number * blockS })
  trade(30, () => 2_000)
  trade(1, () => 100)
  expect(chain.usd().weth).toBeCloseTo(2_000, -1)
  trade(1, () => 2_000)
  expect(chain.usd().weth).toBeCloseTo(2_000, -1)
})

test('a price at half of the blocks that count is followed, and not before', () => {
  const { chain, trade } = market()
  trade(100, () => 2_000)
  trade(4, () => 1_400)
  expect(chain.usd().weth).toBeCloseTo(2_000, -1)
  trade(1, () => 1_400)
  expect(chain.usd().weth).toBeCloseTo(1_400, -1)
})

// 11 March 2023: USDC at 0.88.
test.each([
  ['in one block', 1],
  ['over five minutes', FIVE_MINUTES],
])('a stablecoin that falls to 0.88 %s is followed within five minutes', (_, blocks) => {
  const { chain, trade } = market()
  trade(100, () => 2_000)
  trade(
    blocks,
    () => 2_000,
    (block) => 1 - (0.12 * (block + 1)) / blocks,
  )
  trade(
    FIVE_MINUTES,
    () => 2_000,
    () => 0.88,
  )
  const { weth, usdc, usdt } = chain.usd()
  expect([usdc, usdt]).toEqual([expect.closeTo(0.88, 2), 1])
  expect(weth).toBeCloseTo(2_000, -1)
})

test('a price of half an hour counts and is flagged from then on; one of a day does not count', () => {
  const { chain, trade } = market()
  trade(20, () => 2_000)
  const halfHour = 1_800 / BLOCK_S - 1
  chain.mine(halfHour)
  expect(chain.usd()).toMatchObject({ weth: expect.closeTo(2_000, -1), flags: false })
  chain.mine()
  expect(chain.usd()).toMatchObject({ weth: expect.closeTo(2_000, -1), flags: true })
  chain.mine(86_400 / BLOCK_S - halfHour - 2)
  expect(chain.usd().weth).toBeCloseTo(2_000, -1)
  chain.mine()
  expect(chain.usd().weth).toBe(0)
})

test('if all pools are new they count as they are, and one new pool among others does not count', () => {
  const { chain, trade, main } = market()
  trade(1, () => 2_000)
  expect(chain.usd().weth).toBeCloseTo(2_000, -1)
  trade(20, () => 2_000)
  chain.emit(main, main.burn(70_000, 80_000, 0))
  expect(chain.usd().weth).toBeCloseTo(2_000, -1)
})
