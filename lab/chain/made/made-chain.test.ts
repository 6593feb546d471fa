import {
  bitmapRange,
  bitmapWords,
  encodeScan,
  type Hex,
  type Pool,
  protocolOf,
  readScan,
  type ScanRange,
  type TickLiquidity,
  ticksOfWord,
} from '@dexfeed/dex'
import { beforeAll, describe, expect, it } from 'vitest'
import { type MadeView, madeView } from '../../node/made/made-view.ts'
import { answer } from '../../node/rpc/answer.ts'
import { quantity, TOPICS } from '../abi.ts'
import { loadKeccak } from '../commitments/keccak.ts'
import type { PoolState } from '../pool-math.ts'
import { type ChainPlan, MadeChain } from './made-chain.ts'
import { PRESETS } from './shapes.ts'

type Json = Record<string, unknown>

interface Log extends Json {
  address: string
  topics: string[]
  data: string
}

interface Receipt extends Json {
  logs: Log[]
}

/** A small chain whose cycle is shorter than its history, and which creates a pool every other block. */
const PLAN: ChainPlan = {
  network: 'bsc',
  seed: 5,
  shape: {
    ...PRESETS.bsc,
    transactions: 20,
    swaps: 12,
    logs: 70,
    blockBytes: 30_000,
    pools: 60,
    newPoolsPerMinute: 66,
    cycle: 20,
  },
  history: 55,
}
const HEAD_TIME = 1_790_000_000
const LIVE_BLOCKS = 20

let network: MadeChain
let view: MadeView

beforeAll(async () => {
  network = new MadeChain(PLAN, await loadKeccak())
  network.link(HEAD_TIME)
  for (let i = 0; i < LIVE_BLOCKS; i++) network.extend()
  view = madeView(network, true)
})

function request(method: string, ...params: unknown[]) {
  return JSON.parse(answer(view, method, params).join(''))
}

describe('each block', () => {
  const numbers = () => [
    ...Array.from({ length: 8 }, (_, i) => network.first + i),
    network.first + network.cycle,
    ...Array.from({ length: LIVE_BLOCKS }, (_, i) => network.firstHead - 5 + i),
  ]

  it('shows each log and transaction in its place', () => {
    for (const number of numbers()) {
      const block = request('eth_getBlockByNumber', quantity(number), true)
      const receipts: Receipt[] = request('eth_getBlockReceipts', quantity(number))
      const place = { blockHash: block.hash, blockNumber: quantity(number) }
      block.transactions.forEach((transaction: Json, index: number) => {
        expect(transaction).toMatchObject({ ...place, transactionIndex: quantity(index) })
        const { hash, from, to, type } = transaction
        expect(receipts[index]).toMatchObject({ ...place, transactionHash: hash, from, to, type })
        expect(request('eth_getTransactionReceipt', hash)).toEqual(receipts[index])
      })
      const logs = receipts.flatMap((receipt) => receipt.logs.map((log) => ({ log, receipt })))
      logs.forEach(({ log, receipt: { transactionHash, transactionIndex } }, index) => {
        const { timestamp } = block
        const expected = {
          ...place,
          transactionHash,
          transactionIndex,
          logIndex: quantity(index),
          blockTimestamp: timestamp,
        }
        expect(log).toMatchObject(expected)
      })
      expect(request('eth_getLogs', { fromBlock: quantity(number), toBlock: quantity(number) })).toEqual(
        logs.map(({ log }) => log),
      )
    }
  })

  it('holds the swaps and transactions of its shape, and time grows', () => {
    for (const number of [network.first + 3, network.firstHead]) {
      const receipts: Receipt[] = request('eth_getBlockReceipts', quantity(number))
      expect(receipts).toHaveLength(PLAN.shape.transactions)
      const logs = receipts.flatMap((receipt) => receipt.logs)
      const swaps: string[] = [TOPICS.swapV2, TOPICS.swapV3, TOPICS.swapPancakeV3]
      expect(logs.filter(({ topics }) => swaps.includes(topics[0] ?? ''))).toHaveLength(PLAN.shape.swaps)
    }
    const timeOf = (number: number) => Number(request('eth_getBlockByNumber', quantity(number), false).timestamp)
    expect(timeOf(network.firstHead)).toBe(HEAD_TIME)
    expect(timeOf(network.firstHead - 40)).toBe(HEAD_TIME - 40 * PLAN.shape.blockTimeS)
    expect(timeOf(1_000_000)).toBeLessThan(timeOf(network.first))
  })
})

it('the same plan makes the same chain, another seed another', async () => {
  const headOf = (plan: ChainPlan, made: MadeChain) => {
    made.link(HEAD_TIME)
    while (made.head < network.head) made.extend()
    return made.headerAt(plan.shape.aboutNumber + LIVE_BLOCKS)?.hash
  }
  const keccak = await loadKeccak()
  expect(headOf(PLAN, new MadeChain(PLAN, keccak))).toBe(network.headerAt(network.head)?.hash)
  const other = { ...PLAN, seed: 6 }
  expect(headOf(other, new MadeChain(other, keccak))).not.toBe(network.headerAt(network.head)?.hash)
})

describe('what contracts return', () => {
  const call = (to: string, data: string, at: number): string => request('eth_call', { to, data }, quantity(at))
  const wordsOf = (data: string) => (data.slice(2).match(/.{64}/g) ?? []).map((digits) => BigInt(`0x${digits}`))

  it('agree with the events of every pool after each of forty blocks, over the end of a cycle', () => {
    let events = 0
    for (let number = network.firstHead - 20; number <= network.head; number++) {
      const logs: Log[] = request('eth_getLogs', { fromBlock: quantity(number), toBlock: quantity(number) })
      const last = new Map<string, Log>()
      for (const log of logs) {
        const isState = [TOPICS.sync, TOPICS.swapV3, TOPICS.swapPancakeV3].includes(log.topics[0] as never)
        if (isState) last.set(log.address, log)
      }
      for (const [pool, { topics, data }] of last) {
        events++
        if (topics[0] === TOPICS.sync)
          expect(wordsOf(call(pool, '0x0902f1ac', number)).slice(0, 2)).toEqual(wordsOf(data))
        else {
          const [, , price, liquidity, tick] = wordsOf(data)
          expect(wordsOf(call(pool, '0x3850c7bd', number)).slice(0, 2)).toEqual([price, tick])
          expect(wordsOf(call(pool, '0x1a686502', number))).toEqual([liquidity])
        }
      }
      // Pools without an event in this block keep their state.
      for (const { address, kind } of network.market.pools.filter(({ address }) => !last.has(address))) {
        const data = kind === 'uniswap-v2' ? '0x0902f1ac' : '0x3850c7bd'
        expect(call(address, data, number)).toBe(call(address, data, number - 1))
      }
    }
    expect(events).toBeGreaterThan(200)
  })

  it('the ticks that the bitmap shows make the liquidity at the price', () => {
    const at = network.firstHead
    const concentrated = network.market.pools.filter(({ kind }) => kind !== 'uniswap-v2')
    for (const { address, tickSpacing, firstState } of concentrated) {
      const tick = BigInt.asIntN(256, wordsOf(call(address, '0x3850c7bd', at))[1] ?? 0n)
      const shown = bitmapWords(tickSpacing ?? 1).flatMap((position) =>
        ticksOfWord(position, call(address, `0x5339c296${int(position)}`, at) as Hex, tickSpacing ?? 1),
      )
      expect(new Set(shown)).toEqual(new Set(ticksOf(firstState).keys()))
      let liquidity = 0n
      for (const initialised of shown) {
        const [, net = 0n] = wordsOf(call(address, `0xf30dba93${int(initialised)}`, at))
        if (BigInt(initialised) <= tick) liquidity += BigInt.asIntN(256, net)
      }
      expect(liquidity).toBeGreaterThan(0n)
      expect(wordsOf(call(address, '0x1a686502', at))).toEqual([liquidity])
    }
    expect(new Set(concentrated.map(({ tickSpacing }) => tickSpacing)).size).toBeGreaterThan(3)
  })

  it('code that scans ticks returns the ticks of the bitmap, as far as its gas reaches', () => {
    const at = network.firstHead
    const { scan } = protocolOf('uniswap-v3').state?.ticks ?? {}
    if (scan === undefined) throw new Error('pools are not scanned')
    const concentrated = network.market.pools.filter(({ kind }) => kind !== 'uniswap-v2')
    const resultsOf = (gas: number) => {
      let rest: readonly ScanRange[] = concentrated.map(({ address, tickSpacing }) => {
        return { pool: { address } as Pool, ...bitmapRange(tickSpacing ?? 1) }
      })
      const found = new Map<string, TickLiquidity[]>()
      let calls = 0
      for (; rest.length > 0; calls++) {
        const result: Hex = request('eth_call', { data: encodeScan(scan, rest), gas: quantity(gas) }, quantity(at))
        const part = readScan(result, rest)
        if (part === null) throw new Error('no result of a scan')
        for (const { pool, liquidity } of part.ticks) {
          if (liquidity !== null) found.set(pool, [...(found.get(pool) ?? []), liquidity])
        }
        rest = part.rest
      }
      return { found, calls }
    }
    const plenty = resultsOf(10_000_000)
    for (const { address, firstState } of concentrated) {
      const made = [...ticksOf(firstState)].map(([tick, held]) => ({ tick, ...held })).sort((a, b) => a.tick - b.tick)
      expect(plenty.found.get(address)).toEqual(made)
    }
    const short = resultsOf(500_000)
    expect(short.found).toEqual(plenty.found)
    expect(short.calls).toBeGreaterThan(10 * plenty.calls)
    expect(request('eth_call', { data: '0x6000' }, quantity(at))).toBe('0x')
    const pair = network.market.pools.find(({ kind }) => kind === 'uniswap-v2')
    const noTicks = [{ pool: pair as unknown as Pool, ...bitmapRange(60) }]
    const refused: Hex = request('eth_call', { data: encodeScan(scan, noTicks) }, quantity(at))
    expect(readScan(refused, noTicks)).toEqual({ ticks: [], failed: noTicks, rest: [] })
  })

  it('a pool is there from the block that makes it, and the factory names it', () => {
    const later = network.laterPools(network.head)
    expect(later.length).toBeGreaterThan(8)
    for (const { address, factory, token0, token1, kind, fee, bornAt: born } of later) {
      expect(call(address, '0xc45a0155', born - 1)).toBe('0x')
      expect(call(address, '0xc45a0155', born)).toBe(`0x${factory.slice(2).padStart(64, '0')}`)
      const pair = `${word(token0.address)}${word(token1.address)}`
      const data = kind === 'uniswap-v2' ? `0xe6a43905${pair}` : `0x1698ee82${pair}${int(fee)}`
      expect(wordsOf(call(factory, data, born - 1))).toEqual([0n])
      expect(wordsOf(call(factory, data, born))).toEqual([BigInt(address)])
      if (born === network.head) continue
      const next: Log[] = request('eth_getLogs', { fromBlock: quantity(born + 1), toBlock: quantity(born + 1) })
      expect(next.some((log) => log.address === address)).toBe(true)
    }
  })

  const ticksOf = (state: PoolState) => (state.kind === 'pair' ? new Map() : state.ticks)
  const int = (value: number) => BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0')
  const word = (address: string) => address.slice(2).padStart(64, '0')
})
