import { expect, test } from 'vitest'
import { answerProof, type KnownResult } from '../../../test/run-proof.ts'
import type { Address } from '../../chain.ts'
import type { Dex } from '../../pool.ts'
import { provePool } from '../prove-pool.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [POOL, TOKEN0, TOKEN1] = [address('aa'), address('01'), address('02')]
const solidly: Dex = { name: 'solidly', kind: 'solidly', factory: address('50') }
const fork: Dex = { name: 'fork', kind: 'uniswap-v2', factory: address('f2'), feeBps: 30 }
const tokens: KnownResult[] = [
  { to: POOL, abi: 'function token0() view returns (address)', result: [TOKEN0] },
  { to: POOL, abi: 'function token1() view returns (address)', result: [TOKEN1] },
]
const isPair = {
  to: solidly.factory,
  abi: 'function isPair(address pair) view returns (bool)',
  args: [POOL],
  result: [true],
}
const prove = (known: readonly KnownResult[]) =>
  answerProof(provePool({ pool: POOL, family: 'pair', events: [] }, [solidly, fork]), known)

test('a pair of a fork of Uniswap V2 stays that fork’s, without calls to another factory', () => {
  const own: KnownResult[] = [
    { to: POOL, abi: 'function factory() view returns (address)', result: [fork.factory] },
    {
      to: fork.factory,
      abi: 'function getPair(address, address) view returns (address)',
      args: [TOKEN0, TOKEN1],
      result: [POOL],
    },
  ]
  expect(prove([...tokens, ...own, isPair])).toMatchObject({ dex: fork, fee: 3000 })
})
