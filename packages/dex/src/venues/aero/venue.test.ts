import { expect, test } from 'vitest'
import { answerProof, type KnownResult } from '../../../test/run-proof.ts'
import { type Address, ZERO_ADDRESS } from '../../chain/hex.ts'
import { provePool } from '../prove-pool.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [POOL, REGISTRY, FACTORY, A, B] = [address('aa'), address('fa'), address('fb'), address('01'), address('02')]
const DEX = { name: 'aero-v2', kind: 'aero-v2', factory: REGISTRY }

test.each([
  ['is a pool if the registry names its factory', FACTORY, { address: POOL, dex: DEX, token0: A, token1: B }],
  ['is no pool if the registry does not know it', ZERO_ADDRESS, null],
])('a contract %s', (_, factory, expected) => {
  const known: KnownResult[] = [
    { to: REGISTRY, abi: 'function targetToFactory(address) view returns (address)', args: [POOL], result: [factory] },
    { to: POOL, abi: 'function token0() view returns (address)', result: [A] },
    { to: POOL, abi: 'function token1() view returns (address)', result: [B] },
  ]
  const proven = answerProof(provePool({ pool: POOL, family: 'pair', events: [] }, [DEX]), known)
  expect(proven).toEqual(expected && expect.objectContaining(expected))
})
