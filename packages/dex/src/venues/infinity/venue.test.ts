import { AbiCoder, Interface, keccak256 } from 'ethers'
import { expect, test } from 'vitest'
import { runSteps } from '../../../test/run-proof.ts'
import { type Address, type Hex, type Log, ZERO_ADDRESS } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import type { PoolEvent } from '../../pool-event.ts'
import type { EthCall } from '../protocol.ts'
import { provePool } from '../prove-pool.ts'
import { decodersOf } from '../registry.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [USDC, HOOKS, FORK] = [address('0c'), address('40'), address('5e')]
/** infinity-core ICLPoolManager and IBinPoolManager. */
const INITIALIZE = {
  'pancakeswap-infinity-cl': new Interface([
    'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint160 sqrtPriceX96, int24 tick)',
  ]),
  'pancakeswap-infinity-bin': new Interface([
    'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint24 activeId)',
  ]),
}
type Kind = keyof typeof INITIALIZE
const MANAGER: Address = `0x${'a0'.repeat(20)}`
const dexOf = (kind: Kind, factory = MANAGER): Dex => ({ name: kind, kind, factory })

function initialized(kind: Kind, values: readonly unknown[]): PoolEvent[] {
  const { topics, data } = INITIALIZE[kind].encodeEventLog('Initialize', values)
  const log: Log = { address: MANAGER, topics: topics as Hex[], data: data as Hex, transactionIndex: 1, logIndex: 2 }
  const event = decodersOf([kind]).get(log.topics[0] ?? '0x')?.(log)
  return event ? [event] : []
}

function prove(dex: Dex, id: string, events: readonly PoolEvent[], answer: (call: EthCall) => Hex | null = () => null) {
  return runSteps(provePool({ pool: `${dex.factory}${id.slice(2)}`, family: 'managed', events }, [dex]), answer)
}

const PARAMETERS: Hex = `0x${(10n << 16n).toString(16).padStart(64, '0')}`

/**
 * Returns the id by infinity-core's PoolId.toId, and what it hashes: abi.encode(currency0, currency1, hooks,
 * poolManager, fee, parameters).
 */
function infinityId(manager: Address, hooks: Address, fee: number): { id: Hex; encoded: Hex } {
  const types = ['address', 'address', 'address', 'address', 'uint24', 'bytes32']
  const encoded = AbiCoder.defaultAbiCoder().encode(types, [ZERO_ADDRESS, USDC, hooks, manager, fee, PARAMETERS]) as Hex
  return { id: keccak256(encoded) as Hex, encoded }
}

test.each(['pancakeswap-infinity-cl', 'pancakeswap-infinity-bin'] as const)(
  'a pool of %s proves itself by the event that made it, or by its manager, and only with a key of its id',
  (kind) => {
    const { id, encoded } = infinityId(MANAGER, HOOKS, 0x80_0000)
    const made = [id, ZERO_ADDRESS, USDC, HOOKS, 0x80_0000, PARAMETERS, 5, ...(kind.endsWith('cl') ? [6] : [])]
    const pool = {
      address: `${MANAGER}${id.slice(2)}`,
      dex: dexOf(kind),
      token0: ZERO_ADDRESS,
      token1: USDC,
      fee: 0,
      tickSpacing: kind.endsWith('cl') ? 10 : null,
      hooks: HOOKS,
    }
    expect(prove(dexOf(kind), id, initialized(kind, made))).toEqual(pool)
    const calls: EthCall[] = []
    const answer = (call: EthCall) => {
      calls.push(call)
      return encoded
    }
    expect(prove(dexOf(kind), id, [], answer)).toEqual(pool)
    expect(calls).toEqual([{ to: MANAGER, data: `0x0e2d484a${id.slice(2)}` }])
    const { encoded: other } = infinityId(MANAGER, ZERO_ADDRESS, 100)
    const topic = INITIALIZE[kind].getEvent('Initialize')?.topicHash
    expect(prove(dexOf(kind), id, [], () => other)).toEqual({ keyLog: { address: MANAGER, topic } })
    const { id: forked, encoded: key } = infinityId(FORK, HOOKS, 70)
    expect(prove(dexOf(kind, FORK), forked, [], () => key)).toMatchObject({ dex: dexOf(kind, FORK), fee: 70 })
  },
)
