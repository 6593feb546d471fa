import { expect, test } from 'vitest'
import { runSteps } from '../../../test/run-proof.ts'
import { type Address, type Block, type Hex, type Log, ZERO_ADDRESS } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import type { PoolEvent } from '../../pool-event.ts'
import type { EthCall } from '../protocol.ts'
import { provePool } from '../prove-pool.ts'
import { decode, decodersOf } from '../registry.ts'
import realLogs from './real-logs.json' with { type: 'json' }
import { feeWithShares } from './state.ts'

const OTHER: Address = `0x${'5e'.repeat(20)}`
const USDC: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

const MANAGER: Address = '0x000000000004444c5dc75cb358380d2e3de08a90'
const uniswapV4: Dex = { name: 'uniswap-v4', kind: 'uniswap-v4', factory: MANAGER }

function read(...logs: Log[]) {
  const block: Block = { number: 1, hash: '0x1', parentHash: '0x0', timestamp: 1, logs, transactions: new Map() }
  return decode(block, decodersOf(['uniswap-v4']))
}

function prove(dex: Dex, id: string, events: readonly PoolEvent[], answer: (call: EthCall) => Hex | null = () => null) {
  return runSteps(provePool({ pool: `${dex.factory}${id.slice(2)}`, family: 'managed', events }, [dex]), answer)
}

test('an event of a contract that is not a configured manager has no pool', () => {
  const proof = provePool({ pool: `${OTHER}${'01'.repeat(32)}`, family: 'managed', events: [] }, [uniswapV4])
  expect(proof.next([])).toEqual({ done: true, value: null })
})

test('a real swap of Ethereum has its key from the position manager', () => {
  const { swap, poolKeys } = realLogs.eth
  const { events } = read(swap as Log)
  const id = swap.topics[1] ?? ''
  expect(events).toEqual([
    {
      type: 'swap',
      family: 'managed',
      pool: `${MANAGER}${id.slice(2)}`,
      transactionIndex: swap.transactionIndex,
      logIndex: 553,
      amount0: -834_450_373_694_896n,
      amount1: 1_514_350n,
      state: {
        kind: 'concentrated',
        sqrtPriceX96: 0x2ca89434c4edce5ef543cn,
        liquidity: 0x9ce25d99f565b2n,
        tick: -201_289,
      },
    },
  ])
  const positionManager: Address = '0xbd216513d74c8cf14cf4747e6aaa6420ff64ee9e'
  const dex = { ...uniswapV4, contracts: { positionManager } }
  const calls: EthCall[] = []
  const answer = (call: EthCall) => {
    calls.push(call)
    return poolKeys as Hex
  }
  const pool = prove(dex, id, events, answer)
  expect(calls).toEqual([{ to: positionManager, data: `0x86b6be7d${id.slice(2, 52)}${'0'.repeat(14)}` }])
  expect(pool).toMatchObject({ token0: ZERO_ADDRESS, token1: USDC, fee: 500, tickSpacing: 10, dex })
  expect(pool).not.toHaveProperty('hooks')
})

test('the event that created a real pool of Polygon verifies it and contains its first liquidity', () => {
  const { initialize, modifyLiquidity } = realLogs.polygon
  const { events } = read(initialize as Log, modifyLiquidity as Log)
  const dex: Dex = { name: 'uniswap-v4', kind: 'uniswap-v4', factory: initialize.address as Address }
  const proven = prove(dex, initialize.topics[1] ?? '', events)
  expect(proven).toMatchObject({
    token0: '0x7f426f6dc648e50464a0392e60e1bb465a67e9cf',
    token1: '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
    fee: 990_002,
    tickSpacing: 19_800,
  })
  expect(events).toMatchObject([
    { type: 'initialize', tick: -217_553 },
    { type: 'liquidity', tickLower: -237_600, tickUpper: -198_000, delta: 836_540_607_746n },
  ])
})

test('a fee that the protocol’s share leaves nothing of is one that the database takes, and is not quoted', () => {
  expect(feeWithShares(1_000_000, 1)).toEqual({ fee: { zeroForOne: 999_999, oneForZero: 999_999, exact: false } })
  expect(feeWithShares(999_999, 1000 << 12)).toMatchObject({ fee: { oneForZero: 999_999, exact: false } })
  expect(feeWithShares(3_000, 1000)).toEqual({ fee: { zeroForOne: 3_997, oneForZero: 3_000, exact: true } })
})
