import { AbiCoder, Interface, keccak256 } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Block, Log } from '../../chain/block.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../../chain/hex.ts'
import type { Dex, DexKind, Pool } from '../../pool.ts'
import type { PoolEvent } from '../../pool-event.ts'
import type { CallResults, EthCall, MissingKey } from '../protocol.ts'
import { provePool } from '../prove-pool.ts'
import { decode, decodersOf } from '../registry.ts'
import realLogs from './real-logs.json' with { type: 'json' }
import { feeWithShares } from './state.ts'

const SENDER: Address = `0x${'5e'.repeat(20)}`
const HOOKS: Address = `0x${'40'.repeat(20)}`
const USDC: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

// The signatures as the contracts have them: v4-core IPoolManager and IProtocolFees, infinity-core ICLPoolManager and
// IBinPoolManager.
const CONTRACTS = {
  'uniswap-v4': new Interface([
    'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
    'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
    'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
    'event ProtocolFeeUpdated(bytes32 indexed id, uint24 protocolFee)',
  ]),
  'pancakeswap-infinity-cl': new Interface([
    'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint160 sqrtPriceX96, int24 tick)',
    'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee, uint16 protocolFee)',
    'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  ]),
  'pancakeswap-infinity-bin': new Interface([
    'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint24 activeId)',
    'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 activeId, uint24 fee, uint16 protocolFee)',
  ]),
} as const
type Kind = keyof typeof CONTRACTS
const KINDS = Object.keys(CONTRACTS) as Kind[]
const MANAGERS: Record<Kind, Address> = {
  'uniswap-v4': '0x000000000004444c5dc75cb358380d2e3de08a90',
  'pancakeswap-infinity-cl': '0xa0ffb9c1ce1fe56963b0321b32e7a0302114058b',
  'pancakeswap-infinity-bin': '0xc697d2898e0d09264376196696c51d7abbbaa4a9',
}
const dexOf = (kind: Kind): Dex => ({ name: kind, kind, factory: MANAGERS[kind] })

function logOf(kind: Kind, name: string, values: unknown[]): Log {
  const { topics, data } = CONTRACTS[kind].encodeEventLog(name, values)
  const place = { transactionIndex: 1, logIndex: 2 }
  return { address: MANAGERS[kind], topics: topics as Hex[], data: data as Hex, ...place }
}

function read(kinds: readonly DexKind[], ...logs: Log[]) {
  const block: Block = { number: 1, hash: '0x1', parentHash: '0x0', timestamp: 1, logs, transactions: new Map() }
  return decode(block, decodersOf(kinds))
}

/** Runs a proof; `answer` returns the results of its calls. */
function prove(
  kind: Kind,
  id: string,
  events: readonly PoolEvent[],
  answer: (call: EthCall) => Hex | null = () => null,
  dex = dexOf(kind),
): Pool | MissingKey | null {
  const proof = provePool({ pool: `${dex.factory}${id.slice(2)}`, family: 'managed', events }, [dex])
  let results: CallResults = []
  for (;;) {
    const step = proof.next(results)
    if (step.done) return step.value
    results = step.value.map(answer)
  }
}

const uint = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })
const int = (bits: number) => fc.bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n })
const tick = fc.integer({ min: -887_272, max: 887_272 })
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`)

test('swaps decode as an ABI library encodes them, seen from the pool', () => {
  fc.assert(
    fc.property(
      hex(32),
      int(128),
      int(128),
      uint(160),
      uint(128),
      tick,
      uint(24),
      (id, a, b, price, liquidity, at, fee) => {
        const state = { kind: 'concentrated', sqrtPriceX96: price, liquidity, tick: at }
        const amounts = [id, SENDER, a, b]
        const { events } = read(
          KINDS,
          logOf('uniswap-v4', 'Swap', [...amounts, price, liquidity, at, fee]),
          logOf('pancakeswap-infinity-cl', 'Swap', [...amounts, price, liquidity, at, fee, 7]),
          logOf('pancakeswap-infinity-bin', 'Swap', [...amounts, fee, fee, 7]),
        )
        const place = (kind: Kind) => ({
          ...{ type: 'swap', family: 'managed', pool: `${MANAGERS[kind]}${id.slice(2)}` },
          ...{ transactionIndex: 1, logIndex: 2, amount0: -a, amount1: -b },
        })
        expect(events).toEqual([
          { ...place('uniswap-v4'), state },
          { ...place('pancakeswap-infinity-cl'), state },
          { ...place('pancakeswap-infinity-bin'), state: null },
        ])
      },
    ),
  )
})

test('liquidity, protocol fees and new pools decode as an ABI library encodes them', () => {
  fc.assert(
    fc.property(
      hex(32),
      hex(20),
      hex(32),
      uint(24),
      tick,
      tick,
      int(256),
      uint(160),
      (id, token, salt, fee, low, high, delta, price) => {
        const { events } = read(
          KINDS,
          logOf('uniswap-v4', 'ModifyLiquidity', [id, SENDER, low, high, delta, salt]),
          logOf('uniswap-v4', 'ProtocolFeeUpdated', [id, fee]),
          logOf('uniswap-v4', 'Initialize', [id, ZERO_ADDRESS, token, fee, low, HOOKS, price, high]),
          logOf('pancakeswap-infinity-cl', 'Initialize', [id, ZERO_ADDRESS, token, HOOKS, fee, salt, price, high]),
          logOf('pancakeswap-infinity-bin', 'Initialize', [id, ZERO_ADDRESS, token, HOOKS, fee, salt, fee]),
        )
        const key = { currency0: ZERO_ADDRESS, currency1: token, fee: Number(fee), hooks: HOOKS }
        const spacing = Number(BigInt.asIntN(24, BigInt(salt) >> 16n))
        expect(events).toMatchObject([
          { type: 'liquidity', tickLower: low, tickUpper: high, delta },
          { type: 'protocol-fee', protocolFee: Number(fee) },
          { type: 'initialize', sqrtPriceX96: price, tick: high, key: { ...key, tickSpacing: low } },
          {
            type: 'initialize',
            sqrtPriceX96: price,
            tick: high,
            key: { ...key, tickSpacing: spacing, parameters: salt },
          },
          { type: 'created', key: { ...key, tickSpacing: null, parameters: salt } },
        ])
      },
    ),
  )
})

test('logs of another shape are malformed, whatever their topic', () => {
  const id = `0x${'01'.repeat(32)}`
  const logs = [
    logOf('uniswap-v4', 'Swap', [id, SENDER, 1, -1, 1, 1, 1, 1]),
    logOf('uniswap-v4', 'ModifyLiquidity', [id, SENDER, 1, 2, 3, id]),
    logOf('uniswap-v4', 'ProtocolFeeUpdated', [id, 1]),
    logOf('uniswap-v4', 'Initialize', [id, ZERO_ADDRESS, SENDER, 1, 1, HOOKS, 1, 1]),
    logOf('pancakeswap-infinity-cl', 'Swap', [id, SENDER, 1, -1, 1, 1, 1, 1, 1]),
    logOf('pancakeswap-infinity-cl', 'Initialize', [id, ZERO_ADDRESS, SENDER, HOOKS, 1, id, 1, 1]),
    logOf('pancakeswap-infinity-bin', 'Swap', [id, SENDER, 1, -1, 1, 1, 1]),
    logOf('pancakeswap-infinity-bin', 'Initialize', [id, ZERO_ADDRESS, SENDER, HOOKS, 1, id, 1]),
  ]
  const wrong = logs.flatMap((log) => [
    { ...log, topics: log.topics.slice(0, 1) },
    { ...log, data: `${log.data}00` as Hex },
    { ...log, data: '0x' as Hex },
  ])
  expect(read(KINDS, ...wrong)).toEqual({ events: [], malformed: wrong.length })
})

const PARAMETERS: Hex = `0x${(10n << 16n).toString(16).padStart(64, '0')}`

/**
 * The id that infinity-core's PoolId.toId gives: abi.encode(currency0, currency1, hooks, poolManager, fee, parameters).
 */
function infinityId(manager: Address, hooks: Address, fee: number): { id: Hex; encoded: Hex } {
  const types = ['address', 'address', 'address', 'address', 'uint24', 'bytes32']
  const encoded = AbiCoder.defaultAbiCoder().encode(types, [ZERO_ADDRESS, USDC, hooks, manager, fee, PARAMETERS]) as Hex
  return { id: keccak256(encoded) as Hex, encoded }
}

test.each(['pancakeswap-infinity-cl', 'pancakeswap-infinity-bin'] as const)(
  'a pool of %s proves itself by the event that made it, or by its manager, and only with a key of its id',
  (kind) => {
    const { id, encoded } = infinityId(MANAGERS[kind], HOOKS, 0x80_0000)
    const made = [id, ZERO_ADDRESS, USDC, HOOKS, 0x80_0000, PARAMETERS, 5, ...(kind.endsWith('cl') ? [6] : [])]
    const pool = {
      address: `${MANAGERS[kind]}${id.slice(2)}`,
      dex: dexOf(kind),
      token0: ZERO_ADDRESS,
      token1: USDC,
      fee: 0,
      tickSpacing: kind.endsWith('cl') ? 10 : null,
      hooks: HOOKS,
    }
    expect(prove(kind, id, read([kind], logOf(kind, 'Initialize', made)).events)).toEqual(pool)
    const calls: EthCall[] = []
    const answer = (call: EthCall) => {
      calls.push(call)
      return encoded
    }
    expect(prove(kind, id, [], answer)).toEqual(pool)
    expect(calls).toEqual([{ to: MANAGERS[kind], data: `0x0e2d484a${id.slice(2)}` }])
    const { encoded: other } = infinityId(MANAGERS[kind], ZERO_ADDRESS, 100)
    const topic = CONTRACTS[kind].getEvent('Initialize')?.topicHash
    expect(prove(kind, id, [], () => other)).toEqual({ keyLog: { address: MANAGERS[kind], topic } })
    const fork = { ...dexOf(kind), factory: SENDER }
    expect(
      prove(kind, infinityId(SENDER, HOOKS, 70).id, [], () => infinityId(SENDER, HOOKS, 70).encoded, fork),
    ).toMatchObject({
      dex: fork,
      fee: 70,
    })
  },
)

test('an event of a contract that is not a configured manager has no pool', () => {
  for (const kind of KINDS) {
    const proof = provePool({ pool: `${SENDER}${'01'.repeat(32)}`, family: 'managed', events: [] }, [dexOf(kind)])
    expect(proof.next([])).toEqual({ done: true, value: null })
  }
})

test('a real swap of Ethereum has its key from the position manager', () => {
  const { swap, poolKeys } = realLogs.eth
  const { events } = read(KINDS, swap as Log)
  const id = swap.topics[1] ?? ''
  expect(events).toEqual([
    {
      type: 'swap',
      family: 'managed',
      pool: `${MANAGERS['uniswap-v4']}${id.slice(2)}`,
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
  const dex = { ...dexOf('uniswap-v4'), contracts: { positionManager } }
  const calls: EthCall[] = []
  const answer = (call: EthCall) => {
    calls.push(call)
    return poolKeys as Hex
  }
  const pool = prove('uniswap-v4', id, events, answer, dex)
  expect(calls).toEqual([{ to: positionManager, data: `0x86b6be7d${id.slice(2, 52)}${'0'.repeat(14)}` }])
  expect(pool).toMatchObject({ token0: ZERO_ADDRESS, token1: USDC, fee: 500, tickSpacing: 10, dex })
  expect(pool).not.toHaveProperty('hooks')
})

test('the event that created a real pool of Polygon verifies it and contains its first liquidity', () => {
  const { initialize, modifyLiquidity } = realLogs.polygon
  const { events } = read(KINDS, initialize as Log, modifyLiquidity as Log)
  const dex: Dex = { name: 'uniswap-v4', kind: 'uniswap-v4', factory: initialize.address as Address }
  const proven = prove('uniswap-v4', initialize.topics[1] ?? '', events, () => null, dex)
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
