import { expect, test } from 'vitest'
import { madePool } from '../../../test/made-hop.ts'
import { answerProof, type KnownResult } from '../../../test/run-proof.ts'
import { type Address, NATIVE_PLACEHOLDER, ZERO_ADDRESS } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { provePool } from '../prove-pool.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [FACTORY, POOL, TOKEN] = [address('fa'), address('aa'), address('01')]
const dex: Dex = { name: 'fluid', kind: 'fluid', factory: FACTORY }
const isDex = { to: FACTORY, abi: 'function isDex(address dex_) view returns (bool)', args: [POOL], result: [true] }
const WORD = `0x${'00'.repeat(32)}`
/** The result has the struct of the pool's ABI. */
const constants = (token0: Address, token1: Address): KnownResult => ({
  to: POOL,
  abi: 'function constantsView() view returns (tuple(uint256 dexId, address liquidity, address factory, tuple(address shift, address admin, address colOperations, address debtOperations, address perfectOperationsAndSwapOut) implementations, address deployerContract, address token0, address token1, bytes32 supplyToken0Slot, bytes32 borrowToken0Slot, bytes32 supplyToken1Slot, bytes32 borrowToken1Slot, bytes32 exchangePriceToken0Slot, bytes32 exchangePriceToken1Slot, uint256 oracleMapping))',
  result: [
    [
      7n,
      address('11'),
      FACTORY,
      Array(5).fill(address('22')),
      address('33'),
      token0,
      token1,
      ...Array(6).fill(WORD),
      1n,
    ],
  ],
})
const prove = (known: readonly KnownResult[]) =>
  answerProof(provePool({ pool: POOL, family: 'fluid', events: [] }, [dex]), known)

test('a pool is one that the factory lists, with the tokens among its constants, the coin as no token', () => {
  const coins = [TOKEN, ZERO_ADDRESS]
  expect(prove([isDex, constants(TOKEN, NATIVE_PLACEHOLDER)])).toEqual(
    madePool(POOL, [TOKEN, ZERO_ADDRESS], { dex, coins, fee: 0 }),
  )
})
