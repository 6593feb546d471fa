import { expect, test } from 'vitest'
import { answerProof, type KnownResult } from '../../../test/run-proof.ts'
import type { Address } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { provePool } from '../prove-pool.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [POOL, FACTORY, TOKEN0, TOKEN1] = [address('aa'), address('fa'), address('01'), address('02')]
const dex: Dex = { name: 'elastic', kind: 'kyberswap-elastic', factory: FACTORY }
const returns = (name: string, type: string, result: Address | number): KnownResult => {
  return { to: POOL, abi: `function ${name}() view returns (${type})`, result: [result] }
}
/** The results of a pool's calls: it has no fee() and no tickSpacing(). */
const claims = [
  returns('factory', 'address', FACTORY),
  returns('token0', 'address', TOKEN0),
  returns('token1', 'address', TOKEN1),
  returns('swapFeeUnits', 'uint24', 40),
  returns('tickDistance', 'int24', 8),
]
const getPool = (args: readonly (Address | number)[], pool: Address): KnownResult => ({
  to: FACTORY,
  abi: 'function getPool(address tokenA, address tokenB, uint24 swapFeeUnits) view returns (address pool)',
  args,
  result: [pool],
})
const prove = (known: readonly KnownResult[]) =>
  answerProof(provePool({ pool: POOL, family: 'concentrated', events: [] }, [dex]), known)

test('a pool of equal tokens, or without a distance of ticks, is refused', () => {
  const same = claims.map((knownResult) =>
    knownResult.abi.includes('token1') ? returns('token1', 'address', TOKEN0) : knownResult,
  )
  expect(prove([...same, getPool([TOKEN0, TOKEN0, 40], POOL)])).toBeNull()
  const flat = claims.map((knownResult) =>
    knownResult.abi.includes('tickDistance') ? returns('tickDistance', 'int24', 0) : knownResult,
  )
  expect(prove([...flat, getPool([TOKEN0, TOKEN1, 40], POOL)])).toBeNull()
})
