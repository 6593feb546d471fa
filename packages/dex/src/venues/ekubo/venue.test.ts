import { AbiCoder, Interface, keccak256, toBeHex } from 'ethers'
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { replayLogs, replayReceipt } from '../../../test/replay-receipt.ts'
import type { Log } from '../../chain/block.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../../chain/hex.ts'
import { builtInDeployments } from '../../deployments/dex-config.ts'
import { WITHOUT_TOPIC } from '../protocol.ts'
import { provePool } from '../prove-pool.ts'
import { decodersOf, emittersOf, stateReadingOf } from '../registry.ts'
import { ekubo } from './venue.ts'

/**
 *   PoolInitialized, of any block      contains a key, trusted if it hashes to the pool's id.
 *   Logs without a topic, 116 bytes    are swaps of the pool with the id in them, if the core emits them.
 *
 * The recorded transaction sells WBTC for ETH in one pool, then ETH for USDC in one with the oracle's extension.
 */
const { dexes, wrappedNative } = builtInDeployments.eth
const CORE: Address = '0x00000000000014aa86c5d3c41765bb24e11bd701'
const FORGER: Address = `0x${'66'.repeat(20)}`
const ORACLE: Address = '0x517e506700271aea091b02f42756f5e174af5230'
const WBTC: Address = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const USDC: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

interface Key {
  token0: Address
  token1: Address
  config: Hex
}
const config = (extension: Address, fee: bigint, type: bigint) =>
  toBeHex((BigInt(extension) << 96n) | (fee << 32n) | type, 32) as Hex
const WBTC_POOL: Key = {
  token0: ZERO_ADDRESS,
  token1: WBTC,
  config: config(ZERO_ADDRESS, 18_446_744_073_709_552n, 2n ** 31n + 1_000n),
}
const USDC_POOL: Key = { token0: ZERO_ADDRESS, token1: USDC, config: config(ORACLE, 0n, 0n) }

const idOf = ({ token0, token1, config: word }: Key) =>
  keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'address', 'bytes32'], [token0, token1, word]))
const abi = new Interface([
  'event PoolInitialized(bytes32 poolId, tuple(address token0, address token1, bytes32 config) poolKey, int32 tick, uint96 sqrtRatio)',
])

function made(key: Key, { id = idOf(key), emitter = CORE } = {}): Log {
  const { topics, data } = abi.encodeEventLog('PoolInitialized', [id, key, -5, 7n])
  return { address: emitter, topics: topics as Hex[], data: data as Hex, transactionIndex: 0, logIndex: 0 }
}

const { logs: recorded, transfers } = replayReceipt('ekubo', [], [], wrappedNative)
const own = dexes.filter(({ kind }) => kind === 'ekubo')
const hopsOf = (logs: readonly Log[]) => replayLogs(24_715_976, logs, own, [], wrappedNative).hops

test('recorded swaps are those of the transfers', () => {
  const hops = hopsOf([made(WBTC_POOL), made(USDC_POOL), ...recorded])
  expect(hops).toMatchObject([
    { tokenIn: WBTC, amountIn: 2374n, tokenOut: wrappedNative, amountOut: 786_479_563_922_702n, nativeOut: true },
    { tokenIn: wrappedNative, amountIn: 786_479_563_922_702n, nativeIn: true, tokenOut: USDC, amountOut: 1_606_980n },
  ])
  expect(transfers).toContainEqual(expect.objectContaining({ token: WBTC, to: CORE, value: 2374n }))
  expect(transfers).toContainEqual(expect.objectContaining({ token: USDC, from: CORE, value: 1_606_980n }))
  expect(hops.map(({ pool }) => [pool.fee, pool.hooks])).toEqual([
    [1_000, undefined],
    [0, ORACLE],
  ])
  for (const { pool } of hops) expect(stateReadingOf(pool)).toBeNull()
})

test('a pool without a key from the core, or with the key of another id, makes no hop', () => {
  expect(hopsOf(recorded)).toEqual([])
  expect(hopsOf([made(WBTC_POOL, { emitter: FORGER }), ...recorded])).toEqual([])
  expect(hopsOf([made({ ...USDC_POOL, token1: FORGER }, { id: idOf(USDC_POOL) }), ...recorded])).toEqual([])
  expect(hopsOf([made({ ...WBTC_POOL, config: USDC_POOL.config }, { id: idOf(WBTC_POOL) }), ...recorded])).toEqual([])
})

test('the same logs of another contract are nothing', () => {
  const forged = recorded.map((log) => (log.address === CORE ? { ...log, address: FORGER } : log))
  expect(hopsOf([made(WBTC_POOL), made(USDC_POOL), ...forged])).toEqual([])
  const emitter = FORGER
  expect(hopsOf([made(WBTC_POOL, { emitter }), made(USDC_POOL, { emitter }), ...forged])).toEqual([])
})

test('without a known key, the log of the core that contains it is requested', () => {
  const proof = provePool({ pool: `${CORE}${idOf(WBTC_POOL).slice(2)}`, family: 'managed', events: [] }, own)
  const topic = abi.getEvent('PoolInitialized')?.topicHash
  expect(proof.next([]).value).toEqual({ keyLog: { address: CORE, topic } })
})

test('logs without a topic are looked for at the cores alone', () => {
  expect(emittersOf(dexes)).toEqual(own.map(({ factory }) => factory))
  expect(own).toHaveLength(2)
  expect(decodersOf(['uniswap-v2', 'uniswap-v4']).has(WITHOUT_TOPIC)).toBe(false)
})

test('a log of 116 bytes contains the pool and both amounts from the pool’s side; any other size is ignored', () => {
  const amount = fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n })
  const bytes = (size: number) =>
    fc.uint8Array({ minLength: size, maxLength: size }).map((list) => Buffer.from(list).toString('hex'))
  fc.assert(
    fc.property(bytes(20), bytes(32), amount, amount, bytes(32), (locker, id, amount0, amount1, state) => {
      const word = (value: bigint) => BigInt.asUintN(128, value).toString(16).padStart(32, '0')
      const data: Hex = `0x${locker}${id}${word(amount0)}${word(amount1)}${state}`
      const log: Log = { address: CORE, topics: [], data, transactionIndex: 3, logIndex: 7 }
      expect(ekubo.withoutTopic?.(log)).toEqual({
        ...{ type: 'swap', family: 'managed', pool: `${CORE}${id}`, amount0, amount1, state: null },
        ...{ transactionIndex: 3, logIndex: 7 },
      })
      for (const other of [`${data}00`, data.slice(0, -2), '0x'] as Hex[]) {
        expect(ekubo.withoutTopic?.({ ...log, data: other })).toBeNull()
      }
    }),
    { numRuns: 50 * inject('scale') },
  )
})
