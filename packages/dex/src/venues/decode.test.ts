import { Interface } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Block, Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import { DEX_KINDS, decode, decodersOf, protocolOf } from './registry.ts'

const POOL = `0x${'aa'.repeat(20)}` as const
const OTHER = `0x${'bb'.repeat(20)}` as const
const abi = new Interface([
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
])
const v2Swap = new Interface([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
])
const v3Swap = new Interface([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
])
const pancakeSwap = new Interface([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)',
])

function log(from: Interface, name: string, values: unknown[]): Log {
  const { topics, data } = from.encodeEventLog(name, values)
  return { address: POOL, topics: topics as Hex[], data: data as Hex, transactionIndex: 1, logIndex: 2 }
}

const DECODERS = decodersOf(DEX_KINDS)

function read(...logs: Log[]) {
  const block: Block = { number: 1, hash: '0x1', parentHash: '0x0', timestamp: 1, logs, transactions: new Map() }
  return decode(block, DECODERS)
}

const uint = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })
const int = (bits: number) => fc.bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n })
const tick = fc.integer({ min: -887_272, max: 887_272 })

test('Uniswap V2 swaps and syncs decode as an ABI library encodes them', () => {
  fc.assert(
    fc.property(uint(256), uint(256), uint(256), uint(256), uint(112), uint(112), (in0, in1, out0, out1, r0, r1) => {
      const { events } = read(log(abi, 'Sync', [r0, r1]), log(v2Swap, 'Swap', [OTHER, in0, in1, out0, out1, OTHER]))
      expect(events).toMatchObject([
        { type: 'reserves', pool: POOL, reserve0: r0, reserve1: r1 },
        { type: 'swap', family: 'pair', amount0: in0 - out0, amount1: in1 - out1, state: null },
      ])
    }),
  )
})

test('Uniswap V3 and PancakeSwap V3 swaps decode with their signs and state', () => {
  fc.assert(
    fc.property(int(256), int(256), uint(160), uint(128), tick, (amount0, amount1, sqrtPriceX96, liquidity, at) => {
      const values = [OTHER, OTHER, amount0, amount1, sqrtPriceX96, liquidity, at]
      const { events } = read(log(v3Swap, 'Swap', values), log(pancakeSwap, 'Swap', [...values, 1n, 2n]))
      const expected = {
        type: 'swap',
        family: 'concentrated',
        amount0,
        amount1,
        state: { kind: 'concentrated', sqrtPriceX96, liquidity, tick: at },
      }
      expect(events).toMatchObject([expected, expected])
    }),
  )
})

test('prices and liquidity of concentrated pools decode', () => {
  fc.assert(
    fc.property(uint(160), uint(128), tick, tick, (price, amount, lower, upper) => {
      fc.pre(lower !== upper)
      const { events } = read(
        log(abi, 'Initialize', [price, lower]),
        log(abi, 'Mint', [OTHER, OTHER, lower, upper, amount, 1n, 2n]),
        log(abi, 'Burn', [OTHER, lower, upper, amount, 1n, 2n]),
      )
      expect(events).toMatchObject([
        { type: 'initialize', sqrtPriceX96: price, tick: lower },
        { type: 'liquidity', tickLower: lower, tickUpper: upper, delta: amount },
        { type: 'liquidity', tickLower: lower, tickUpper: upper, delta: -amount },
      ])
    }),
  )
})

test('a log with a known topic in another shape is counted, and the others survive', () => {
  const sync = log(abi, 'Sync', [1n, 2n])
  const { events, malformed } = read({ ...sync, data: '0x' }, { ...sync, topics: [...sync.topics, '0x00'] }, sync)
  expect(events).toHaveLength(1)
  expect(malformed).toBe(2)
})

test('kinds that share a topic are of one family: an event has one decoder, whichever kind it is of', () => {
  const familyOf = new Map<Hex, string>()
  for (const kind of DEX_KINDS) {
    const { family } = protocolOf(kind)
    for (const topic of decodersOf([kind]).keys()) {
      const other = familyOf.get(topic) ?? family
      expect(`${topic}: ${family}`).toBe(`${topic}: ${other}`)
      familyOf.set(topic, family)
    }
  }
})
