import {
  bitmapRange,
  encodeScan,
  type Hex,
  type Pool,
  protocolOf,
  readScan,
  type ScanRange,
  type TickLiquidity,
} from '@dexfeed/dex'
import { beforeAll, describe, expect, it } from 'vitest'
import { madeView } from '../../node/made/made-view.ts'
import { answer } from '../../node/rpc/answer.ts'
import { quantity, TOPICS } from '../abi.ts'
import { loadKeccak } from '../commitments/keccak.ts'
import type { PoolState } from '../pool-math.ts'
import { type ChainPlan, MadeChain } from './made-chain.ts'
import { PRESETS } from './shapes.ts'

type Json = Record<string, unknown>

interface Receipt extends Json {
  logs: { topics: string[] }[]
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
let view: ReturnType<typeof madeView>

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

function ticksOf(state: PoolState) {
  return state.kind === 'pair' ? new Map() : state.ticks
}
