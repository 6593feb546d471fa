import { expect, test } from 'vitest'
import { answerProof, type KnownResult } from '../../../test/run-proof.ts'
import type { Address } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { provePool } from '../prove-pool.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [PSM, JOIN, USDC, DAI] = [address('aa'), address('10'), address('01'), address('02')]
const dex: Dex = { name: 'maker-psm', kind: 'maker-psm', factory: PSM }
const answer = (to: Address, abi: string, result: unknown): KnownResult => ({ to, abi, result: [result] })
const dai = answer(PSM, 'function dai() view returns (address)', DAI)
const gemOf = (to: Address, decimals: number) => [
  answer(to, 'function gem() view returns (address)', USDC),
  answer(to, 'function dec() view returns (uint256)', decimals),
]
const join = answer(PSM, 'function gemJoin() view returns (address)', JOIN)
const prove = (known: readonly KnownResult[], pool = PSM) =>
  answerProof(provePool({ pool, family: 'maker-psm', events: [] }, [dex]), known)

test('the configured contract is the pool of its gem and DAI, whichever contract returns the gem', () => {
  const pool = { address: PSM, dex, token0: USDC, token1: DAI, coins: [USDC, DAI], fee: 0, tickSpacing: null }
  expect(prove([dai, join, ...gemOf(JOIN, 6)])).toEqual(pool)
  expect(prove([dai, ...gemOf(PSM, 6)])).toEqual(pool)
})

test('a PSM whose gem has other decimals is refused, because its events would be read wrongly', () => {
  expect(prove([dai, join, ...gemOf(JOIN, 18)])).toBeNull()
  expect(prove([dai, ...gemOf(PSM, 18)])).toBeNull()
  expect(prove([dai, join])).toBeNull()
})

test('any other contract is refused', () => {
  const other = address('bb')
  const known = [answer(other, dai.abi, DAI), ...gemOf(other, 6)]
  expect(prove(known, other)).toBeNull()
})
