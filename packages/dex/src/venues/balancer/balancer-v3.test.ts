import { Interface } from 'ethers'
import { describe, expect, test } from 'vitest'
import { madePool } from '../../../test/made-hop.ts'
import { answerProof, type KnownResult } from '../../../test/run-proof.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { provePool } from '../prove-pool.ts'
import { decodersOf, protocolOf } from '../registry.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const VAULT = address('ba')
const [A, B, C] = [address('01'), address('02'), address('03')]
const CONTRACT = address('aa')
const WRAPPER = address('ee')
const POOL: Hex = `${VAULT}${CONTRACT.slice(2)}`
const BUFFER: Hex = `${VAULT}${WRAPPER.slice(2)}`
const dex: Dex = { name: 'balancer-v3', kind: 'balancer-v3', factory: VAULT }

/** github balancer/balancer-v3-monorepo pkg/interfaces/contracts/vault/IVaultEvents.sol */
const abi = new Interface([
  'event Swap(address indexed pool, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, uint256 swapFeePercentage, uint256 swapFeeAmount)',
  'event Wrap(address indexed wrappedToken, uint256 depositedUnderlying, uint256 mintedShares, bytes32 bufferBalances)',
  'event Unwrap(address indexed wrappedToken, uint256 burnedShares, uint256 withdrawnUnderlying, bytes32 bufferBalances)',
])

function log(name: string, values: unknown[], vault = VAULT): Log {
  const { topics, data } = abi.encodeEventLog(name, values)
  return { address: vault, topics: topics as Hex[], data: data as Hex, transactionIndex: 1, logIndex: 2 }
}

const read = (log: Log) => decodersOf(['balancer-v3']).get(log.topics[0] ?? '0x')?.(log) ?? null
const BALANCES = `0x${'00'.repeat(32)}`

describe('a pool or buffer', () => {
  const results = (contract: Address, isPool: boolean, tokens: readonly Address[], asset: Address): KnownResult[] => [
    { to: VAULT, abi: 'function isPoolRegistered(address) view returns (bool)', args: [contract], result: [isPool] },
    ...(isPool
      ? [
          {
            to: VAULT,
            abi: 'function getPoolTokens(address) view returns (address[])',
            args: [contract],
            result: [tokens],
          },
        ]
      : []),
    {
      to: VAULT,
      abi: 'function getERC4626BufferAsset(address) view returns (address)',
      args: [contract],
      result: [asset],
    },
  ]
  const NONE = address('00')
  const prove = (log: Log, known: readonly KnownResult[], dexes = [dex]) => {
    const event = read(log)
    const events = event === null ? [] : [event]
    return answerProof(provePool({ pool: event?.pool ?? POOL, family: 'managed', events }, dexes), known)
  }
  const swap = log('Swap', [CONTRACT, A, B, 5n, 6n, 7n, 8n])
  const wrap = log('Wrap', [WRAPPER, 5n, 6n, BALANCES])

  test('is one that the vault has registered, with the tokens that it lists', () => {
    const pool = prove(swap, results(CONTRACT, true, [C, A, B], NONE))
    expect(pool).toEqual({ address: POOL, dex, token0: C, token1: A, fee: 0, tickSpacing: null, coins: [C, A, B] })
    expect(pool && protocolOf('balancer-v3').sharesOf?.(pool)).toBeNull()
  })

  test('of a wrapper has the wrapper as its coin and the vault’s asset as the underlying token', () => {
    const buffer = prove(wrap, results(WRAPPER, false, [], A))
    expect(buffer).toEqual(madePool(BUFFER, [WRAPPER, A], { dex, fee: 0, coins: [WRAPPER], underlying: [A] }))
    expect(buffer && protocolOf('balancer-v3').sharesOf?.(buffer)).toEqual({ token: WRAPPER, isWrapper: true })
  })

  test('may be both in one contract', () => {
    const both = prove(wrap, results(WRAPPER, true, [B, C], A))
    expect(both).toMatchObject({ coins: [B, C, WRAPPER], underlying: [A] })
  })

  test('is unverified where the vault denies it, from another emitter, or of a vault that is not configured', () => {
    expect(prove(swap, results(CONTRACT, false, [], NONE))).toBeNull()
    expect(prove(wrap, results(WRAPPER, false, [], NONE))).toBeNull()
    const forged = log('Swap', [CONTRACT, A, B, 5n, 6n, 7n, 8n], address('66'))
    expect(prove(forged, results(CONTRACT, true, [A, B], NONE))).toBeNull()
    expect(prove(swap, results(CONTRACT, true, [A, B], NONE), [{ ...dex, factory: address('66') }])).toBeNull()
  })
})
