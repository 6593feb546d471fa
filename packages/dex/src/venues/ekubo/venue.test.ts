import { Interface } from 'ethers'
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { readCases, replayCase } from '../../../test/replay-fixture.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import { builtInDeployments } from '../../deployments/dex-config.ts'
import { WITHOUT_TOPIC } from '../protocol.ts'
import { provePool } from '../prove-pool.ts'
import { decodersOf, emittersOf, stateReadingOf } from '../registry.ts'
import { ekubo } from './venue.ts'

/**
 *   PoolInitialized, of any block      contains a key, trusted if it hashes to the pool's id.
 *   Logs without a topic, 116 bytes    are swaps of the pool whose id they contain, if the core emitted them.
 */
const CORE: Address = '0x00000000000014aa86c5d3c41765bb24e11bd701'
const FORGER: Address = `0x${'66'.repeat(20)}`
const { dexes } = builtInDeployments.eth
const own = dexes.filter(({ kind }) => kind === 'ekubo')
const abi = new Interface([
  'event PoolInitialized(bytes32 poolId, tuple(address token0, address token1, bytes32 config) poolKey, int32 tick, uint96 sqrtRatio)',
])

test('a pool without a key from the core, or with the key of another id, makes no hop', () => {
  const [recorded] = readCases('ekubo/fixtures/ekubo.json')
  if (recorded === undefined) throw new Error('no fixture')
  const [first, second, ...swaps] = recorded.logs
  if (first === undefined || second === undefined) throw new Error('no keys')
  const hopsOf = (...keys: readonly Log[]) => {
    const { hops } = replayCase({ ...recorded, logs: [...keys, ...swaps] })
    return hops.filter(({ pool }) => pool.dex.kind === 'ekubo')
  }
  const [id, key] = abi.decodeEventLog('PoolInitialized', first.data)
  const withKey = (fields: object): Log => {
    const { topics, data } = abi.encodeEventLog('PoolInitialized', [id, { ...key.toObject(), ...fields }, 0, 1n])
    return { ...first, topics: topics as Hex[], data: data as Hex }
  }
  const [hop, ...others] = hopsOf(withKey({}))
  expect(others).toEqual([])
  expect(hop && stateReadingOf(hop.pool)).toBeNull()
  expect(hopsOf()).toEqual([])
  expect(hopsOf({ ...first, address: FORGER })).toEqual([])
  expect(hopsOf(withKey({ token1: FORGER }))).toEqual([])
  expect(hopsOf(withKey({ config: `0x${'00'.repeat(32)}` }))).toEqual([])
})

test('without a known key, the log of the core that contains it is requested', () => {
  const proof = provePool({ pool: `${CORE}${'07'.repeat(32)}`, family: 'managed', events: [] }, own)
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
        type: 'swap',
        family: 'managed',
        pool: `${CORE}${id}`,
        amount0,
        amount1,
        state: null,
        transactionIndex: 3,
        logIndex: 7,
      })
      for (const other of [`${data}00`, data.slice(0, -2), '0x'] as Hex[]) {
        expect(ekubo.withoutTopic?.({ ...log, data: other })).toBeNull()
      }
    }),
    { numRuns: 50 * inject('scale') },
  )
})
