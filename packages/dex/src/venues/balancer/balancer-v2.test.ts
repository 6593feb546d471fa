import { Interface } from 'ethers'
import { describe, expect, test } from 'vitest'
import { madePool } from '../../../test/made-hop.ts'
import { answerProof, type KnownResult } from '../../../test/run-proof.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import type { PoolEvent } from '../../pool-event.ts'
import { provePool } from '../prove-pool.ts'
import { decodersOf } from '../registry.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const VAULT = address('ba')
const [A, B, C] = [address('01'), address('02'), address('03')]
const CONTRACT = address('aa')
const ID: Hex = `${CONTRACT}0002000000000000000000d1`
const POOL: Hex = `${VAULT}${ID.slice(2)}`
const dex: Dex = { name: 'balancer-v2', kind: 'balancer-v2', factory: VAULT }

const abi = new Interface([
  'event Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
])

function swap(tokenIn = A, tokenOut = B, amountIn = 5n, amountOut = 6n, vault = VAULT): Log {
  const { topics, data } = abi.encodeEventLog('Swap', [ID, tokenIn, tokenOut, amountIn, amountOut])
  return { address: vault, topics: topics as Hex[], data: data as Hex, transactionIndex: 1, logIndex: 2 }
}

const read = (log: Log) => decodersOf(['balancer-v2']).get(log.topics[0] ?? '0x')?.(log) ?? null

describe('a pool', () => {
  const getPool = (contract: Address): KnownResult => ({
    to: VAULT,
    abi: 'function getPool(bytes32) view returns (address, uint8)',
    args: [ID],
    result: [contract, 2],
  })
  const getPoolTokens = (tokens: readonly Address[]): KnownResult => ({
    to: VAULT,
    abi: 'function getPoolTokens(bytes32) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
    args: [ID],
    result: [tokens, tokens.map(() => 7n), 9n],
  })
  const prove = (known: readonly KnownResult[], log = swap(), dexes = [dex]) => {
    const events = [read(log)].filter((event): event is PoolEvent & { type: 'exchange' } => event !== null)
    const pool = events[0]?.pool ?? POOL
    return answerProof(provePool({ pool, family: 'managed', events }, dexes), known)
  }

  test('is one that the vault knows by its id, with the tokens that the vault lists', () => {
    expect(prove([getPool(CONTRACT), getPoolTokens([C, A, B])])).toEqual(
      madePool(POOL, [C, A], { dex, fee: 0, coins: [C, A, B] }),
    )
  })

  test('is known by two tokens that are not its own shares, where it has them', () => {
    expect(prove([getPool(CONTRACT), getPoolTokens([A, CONTRACT, B])])).toMatchObject({ token0: A, token1: B })
    expect(prove([getPool(CONTRACT)], swap(A, CONTRACT))).toMatchObject({ token0: A, token1: CONTRACT })
  })

  test('has the tokens of its events where the vault does not list them', () => {
    expect(prove([getPool(CONTRACT)])?.coins).toEqual([A, B])
    expect(prove([getPool(CONTRACT), getPoolTokens([A, C])])?.coins).toEqual([A, C, B])
  })

  test('is unverified by another id, from another emitter, or of a vault that is not configured', () => {
    const known = [getPool(CONTRACT), getPoolTokens([A, B])]
    expect(prove([])).toBeNull()
    expect(prove([getPool(address('bb')), getPoolTokens([A, B])])).toBeNull()
    expect(prove(known, swap(A, B, 5n, 6n, address('66')))).toBeNull()
    expect(prove(known, swap(), [{ ...dex, factory: address('66') }])).toBeNull()
    const short = provePool({ pool: `${VAULT}${CONTRACT.slice(2)}`, family: 'managed', events: [] }, [dex])
    expect(answerProof(short, known)).toBeNull()
  })
})
