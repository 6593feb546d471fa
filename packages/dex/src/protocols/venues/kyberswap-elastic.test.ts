import { expect, test } from 'vitest'
import { answerProof, type KnownAnswer } from '../../../test/answer-proof.ts'
import type { Address } from '../../chain/hex.ts'
import type { Dex } from '../../pool.ts'
import { provePool } from '../prove-pool.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [POOL, FACTORY, TOKEN0, TOKEN1] = [address('aa'), address('fa'), address('01'), address('02')]
const dex: Dex = { name: 'elastic', kind: 'kyberswap-elastic', factory: FACTORY }
const tells = (name: string, type: string, result: Address | number): KnownAnswer => {
  return { to: POOL, abi: `function ${name}() view returns (${type})`, result: [result] }
}
/** The results of a pool's calls: it has no fee() and no tickSpacing(). */
const told = [
  tells('factory', 'address', FACTORY),
  tells('token0', 'address', TOKEN0),
  tells('token1', 'address', TOKEN1),
  tells('swapFeeUnits', 'uint24', 40),
  tells('tickDistance', 'int24', 8),
]
const getPool = (args: readonly (Address | number)[], pool: Address): KnownAnswer => ({
  to: FACTORY,
  abi: 'function getPool(address tokenA, address tokenB, uint24 swapFeeUnits) view returns (address pool)',
  args,
  result: [pool],
})
const prove = (known: readonly KnownAnswer[]) =>
  answerProof(provePool({ pool: POOL, family: 'concentrated', events: [] }, [dex]), known)

test('a pool is one that the factory names for the tokens and the fee that it claims', () => {
  const pool = { address: POOL, dex, token0: TOKEN0, token1: TOKEN1, fee: 400, tickSpacing: 8 }
  expect(prove([...told, getPool([TOKEN0, TOKEN1, 40], POOL)])).toEqual(pool)
  expect(prove([...told, getPool([TOKEN0, TOKEN1, 40], address('bb'))])).toBeNull()
  expect(prove([...told, getPool([TOKEN0, TOKEN1, 8], POOL)])).toBeNull()
  expect(prove(told)).toBeNull()
  for (const missing of told.slice(1)) {
    const rest = told.filter((one) => one !== missing)
    expect(prove([...rest, getPool([TOKEN0, TOKEN1, 40], POOL)])).toBeNull()
  }
})

test('a pool of equal tokens, or without a distance of ticks, is refused', () => {
  const same = told.map((one) => (one.abi.includes('token1') ? tells('token1', 'address', TOKEN0) : one))
  expect(prove([...same, getPool([TOKEN0, TOKEN0, 40], POOL)])).toBeNull()
  const flat = told.map((one) => (one.abi.includes('tickDistance') ? tells('tickDistance', 'int24', 0) : one))
  expect(prove([...flat, getPool([TOKEN0, TOKEN1, 40], POOL)])).toBeNull()
})
