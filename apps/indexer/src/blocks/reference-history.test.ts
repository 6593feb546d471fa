import {
  type Address,
  type BlockHeader,
  type Hex,
  ReferenceBook,
  type ReferenceEvent,
  type ReferencePool,
  referenceBlocks,
} from '@dexfeed/dex'
import { id } from 'ethers'
import { expect, inject, test } from 'vitest'
import { addressesOf, madeDeployment, pairDex } from '../../test/scene/made-values.ts'
import { ReferenceHistory } from './reference-history.ts'

const [WETH, USDC, USDT] = addressesOf('01', '02', '03')
const deployment = madeDeployment({
  wrappedNative: WETH,
  stablecoins: [USDC, USDT],
  dexes: [{ name: 'v3', kind: 'uniswap-v3', factory: USDT }, pairDex(USDC)],
})
const config = {
  wrappedNative: WETH,
  stablecoins: [USDC, USDT],
  anchors: [],
  decimals: new Map([WETH, USDC, USDT].map((token) => [token, 18])),
  ...referenceBlocks('eth'),
}
const POOLS: ReferencePool[] = [
  { address: '0xa1', token0: WETH, token1: USDC, tickSpacing: 10 },
  { address: '0xa2', token0: WETH, token1: USDT, tickSpacing: 60 },
  { address: '0xa3', token0: WETH, token1: USDC, tickSpacing: 1 },
  { address: '0xa4', token0: USDC, token1: USDT, tickSpacing: 1 },
]
const PAIR = POOLS[2]
const SWAP = id('Swap(address,address,int256,int256,uint160,uint128,int24)') as Hex
const MINT = id('Mint(address,address,int24,int24,uint128,uint256,uint256)') as Hex
const BURN = id('Burn(address,int24,int24,uint128,uint256,uint256)') as Hex
const SYNC = id('Sync(uint112,uint112)') as Hex
const Q96 = 2n ** 96n

const word = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, '0')
const data = (...values: bigint[]): Hex => `0x${values.map(word).join('')}`

interface MadeEvent {
  pool: ReferencePool
  number: number
  event: ReferenceEvent
}

/** Returns pseudo-random integers below a bound. */
function dice(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * bound)
  }
}

function logOf({ pool, number, event }: MadeEvent) {
  const none: Hex = '0x'
  const place = {
    address: pool.address,
    blockNumber: number,
    transactionIndex: 0,
    logIndex: 0,
    blockHash: none,
    transactionHash: none,
  }
  if (event.type === 'liquidity') {
    const { tickLower, tickUpper, delta } = event
    const topics: Hex[] = [delta > 0n ? MINT : BURN, data(0n), data(BigInt(tickLower)), data(BigInt(tickUpper))]
    return { ...place, topics, data: delta > 0n ? data(0n, delta, 0n, 0n) : data(-delta, 0n, 0n) }
  }
  const { state } = event
  if (state.kind === 'pair') return { ...place, topics: [SYNC], data: data(state.reserve0, state.reserve1) }
  const values = [0n, 0n, state.sqrtPriceX96, state.liquidity, BigInt(state.tick)]
  return { ...place, topics: [SWAP, data(0n), data(0n)], data: data(...values) }
}

/** Makes blocks with gaps of up to two days, and events of pools that are busy, quiet, or inactive for hours. */
function madeChain(seed: number) {
  const roll = dice(seed)
  const times: number[] = []
  const events: MadeEvent[] = []
  let time = 1_000_000
  for (let number = 0; number < 9_000; number++) {
    time += roll(2_000) === 0 ? roll(180_000) : 12
    times.push(time)
    POOLS.forEach((pool, at) => {
      const [asleep, often] = [roll(2) + Math.floor(number / 1_300) + at, [2, 25, 40, 300][at] ?? 1]
      if (asleep % 5 === 0 || roll(often) > 0) return
      for (let count = 1 + roll(2); count > 0; count--) events.push({ pool, number, event: eventOf(pool, roll) })
    })
  }
  return { times, events }
}

function eventOf(pool: ReferencePool, roll: (bound: number) => number): ReferenceEvent {
  const tick = roll(600) - 300
  if (pool === PAIR) {
    const reserve0 = BigInt(1 + roll(1_000)) * 10n ** 20n
    return { type: 'price', state: { kind: 'pair', reserve0, reserve1: reserve0 + BigInt(roll(100)) * 10n ** 18n } }
  }
  // The last pool rarely trades.
  if (pool === POOLS[3] ? roll(4) > 0 : roll(3) === 0) {
    const tickLower = Math.floor(tick / 60) * 60
    const delta = BigInt(roll(2_000) - 1_000) * 10n ** 18n || 1n
    return { type: 'liquidity', tickLower, tickUpper: tickLower + 60 * (1 + roll(5)), delta }
  }
  const sqrtPriceX96 = Q96 + (Q96 * BigInt(tick)) / 20_000n
  return {
    type: 'price',
    state: { kind: 'concentrated', tick, sqrtPriceX96, liquidity: BigInt(roll(1_000)) * 10n ** 18n },
  }
}

/** Returns a node of that chain, and the number of logs and the headers that it has returned. */
function nodeOf({ times, events }: ReturnType<typeof madeChain>) {
  const given = { logs: 0, headers: [] as number[] }
  return {
    given,
    async logsOf({ addresses, from, to }: { addresses: readonly Address[]; from: number; to: number }) {
      const found = events.filter(
        ({ pool, number }) => number >= from && number <= to && addresses.includes(pool.address),
      )
      given.logs += found.length
      return found.map(logOf)
    },
    async header(number: number): Promise<BlockHeader> {
      given.headers.push(number)
      return { number, hash: '0x', parentHash: '0x', timestamp: times[number] ?? 0 }
    },
  }
}

//   0 ------------------------------------------ 9,000
//   walked from the beginning:  ------------------>
//   begun in the middle:           | read back, then --->
test.each(inject('scale') === 1 ? [1] : [1, 2, 3])(
  'a book that begins anywhere has the prices of one that has walked all along (%d)',
  async (seed) => {
    const chain = madeChain(seed)
    const node = nodeOf(chain)
    const history = new ReferenceHistory(node, deployment)
    const byBlock = new Map<number, MadeEvent[]>()
    for (const madeEvent of chain.events)
      byBlock.set(madeEvent.number, [...(byBlock.get(madeEvent.number) ?? []), madeEvent])
    const record = (book: ReferenceBook, number: number) => {
      const timestamp = chain.times[number] ?? 0
      for (const { pool, event } of byBlock.get(number) ?? []) book.record(pool.address, event, { number, timestamp })
    }
    const at = (number: number) => ({ number, timestamp: chain.times[number] ?? 0 })
    const walked = new ReferenceBook(config, POOLS)
    const told = chain.times.map((_, number) => {
      const prices = walked.pricesAt(at(number))
      record(walked, number)
      return prices
    })
    // Newest first, as history is indexed, but sometimes out of order.
    const roll = dice(seed + 100)
    const gaps = chain.times.flatMap((time, number) => (time - (chain.times[number - 1] ?? time) > 12 ? [number] : []))
    const cuts = [
      ...Array.from({ length: 45 }, (_, at) => 8_900 - 195 * at),
      ...gaps.map((number) => number + 2),
      3,
      20,
      60,
      150,
    ]
    for (const cut of cuts.sort((a, b) => b - a)) {
      const begin = Math.min(roll(6) === 0 ? cut + 500 : cut, 8_900)
      const book = new ReferenceBook(config, POOLS, await history.changesUpTo(POOLS, begin - 1, at(begin).timestamp))
      for (let number = begin; number < begin + 60; number++) {
        expect(book.pricesAt(at(number))).toEqual(told[number])
        record(book, number)
      }
    }
    expect(new Set(node.given.headers).size).toBe(node.given.headers.length)
    // Events above a chunk are cached, so each event is read only a few times.
    expect(node.given.logs).toBeLessThan(8 * chain.events.length)
  },
)

//   block 1: liquidity | begun at 3 | block 5: the first swap, outside its range
test('liquidity added before the first price counts, wherever indexing begins', async () => {
  const pool = POOLS[0] ?? { address: '0xa1', token0: WETH, token1: USDC, tickSpacing: 10 }
  const mint: ReferenceEvent = { type: 'liquidity', tickLower: 100, tickUpper: 160, delta: 10n ** 20n }
  const state = { kind: 'concentrated', tick: 0, sqrtPriceX96: Q96, liquidity: 0n } as const
  const times = Array.from({ length: 10 }, (_, number) => 1_000 + 12 * number)
  const node = nodeOf({ times, events: [{ pool, number: 1, event: mint }] })
  const changes = await new ReferenceHistory(node, deployment).changesUpTo(POOLS, 2, 1_036)
  const book = new ReferenceBook(config, POOLS, changes)
  book.record(pool.address, { type: 'price', state }, { number: 5, timestamp: 1_060 })
  expect(book.pricesAt({ number: 6, timestamp: 1_072 }).native.get(WETH)?.priceE18).toBe(10n ** 18n)
})
