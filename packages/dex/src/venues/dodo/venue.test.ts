import { describe, expect, test } from 'vitest'
import { answerProof, type KnownResult } from '../../../test/run-proof.ts'
import type { Address } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { provePool } from '../prove-pool.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const POOL = address('aa')
const [BASE, QUOTE, OTHER] = [address('01'), address('02'), address('03')]
const contracts = {
  dvmFactory: address('f1'),
  dppFactory: address('f2'),
  dspFactory: address('f3'),
  gspFactory: address('f4'),
}
const dex: Dex = { name: 'dodo', kind: 'dodo', factory: contracts.dvmFactory, contracts }

describe('a pool', () => {
  const claims: KnownResult[] = [
    { to: POOL, abi: 'function _BASE_TOKEN_() view returns (address)', result: [BASE] },
    { to: POOL, abi: 'function _QUOTE_TOKEN_() view returns (address)', result: [QUOTE] },
  ]
  const listed = (factory: Address, base: Address, quote: Address, pools: readonly Address[]): KnownResult => ({
    to: factory,
    abi: 'function getDODOPool(address baseToken, address quoteToken) view returns (address[] machines)',
    args: [base, quote],
    result: [pools],
  })
  const prove = (known: readonly KnownResult[], dexes = [dex]) =>
    answerProof(provePool({ pool: POOL, family: 'dodo', events: [] }, dexes), known)

  test.each(Object.values(contracts))('is one that a factory lists for its two tokens: %s', (factory) => {
    const lists = Object.values(contracts).map((other) =>
      listed(other, BASE, QUOTE, other === factory ? [OTHER, POOL] : [OTHER]),
    )
    const pool = { address: POOL, dex, token0: BASE, token1: QUOTE, fee: 0, tickSpacing: null }
    expect(prove([...claims, ...lists])).toEqual(pool)
  })

  test('is unverified if no factory lists it, and its own claim is never enough', () => {
    expect(prove(claims)).toBeNull()
    expect(prove([listed(contracts.dvmFactory, BASE, QUOTE, [POOL])])).toBeNull()
    expect(prove([...claims, listed(contracts.dvmFactory, BASE, QUOTE, [])])).toBeNull()
    expect(prove([...claims, listed(contracts.dvmFactory, QUOTE, BASE, [POOL])])).toBeNull()
    expect(prove([...claims, listed(address('66'), BASE, QUOTE, [POOL])])).toBeNull()
  })
})
