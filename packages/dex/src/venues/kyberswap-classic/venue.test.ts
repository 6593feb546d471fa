import { expect, test } from 'vitest'
import { answerProof, type KnownResult } from '../../../test/run-proof.ts'
import type { Address } from '../../chain/hex.ts'
import type { Dex } from '../../pool.ts'
import { provePool } from '../prove-pool.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [POOL, FACTORY, TOKEN0, TOKEN1] = [address('aa'), address('fa'), address('01'), address('02')]
const dex: Dex = { name: 'kyber', kind: 'kyberswap-classic', factory: FACTORY }
const claims: KnownResult[] = [
  { to: POOL, abi: 'function token0() view returns (address)', result: [TOKEN0] },
  { to: POOL, abi: 'function token1() view returns (address)', result: [TOKEN1] },
]
/** npm @paraswap/dex-lib 5.0.6, abi/kyberdmm/kyber-dmm-factory. */
const isPool = (args: readonly Address[], result: boolean): KnownResult => ({
  to: FACTORY,
  abi: 'function isPool(address token0, address token1, address pool) view returns (bool)',
  args,
  result: [result],
})
const prove = (known: readonly KnownResult[]) =>
  answerProof(provePool({ pool: POOL, family: 'kyberswap-classic', events: [] }, [dex]), known)

test('a pool is one that the factory confirms for the tokens that it claims', () => {
  const pool = { address: POOL, dex, token0: TOKEN0, token1: TOKEN1, fee: 0, tickSpacing: null }
  expect(prove([...claims, isPool([TOKEN0, TOKEN1, POOL], true)])).toEqual(pool)
  expect(prove([...claims, isPool([TOKEN0, TOKEN1, POOL], false)])).toBeNull()
  expect(prove([...claims, isPool([TOKEN1, TOKEN0, POOL], true)])).toBeNull()
  expect(prove([isPool([TOKEN0, TOKEN1, POOL], true)])).toBeNull()
  expect(prove(claims)).toBeNull()
})
