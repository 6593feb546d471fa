import { expect, test } from 'vitest'
import { answerProof, type KnownResult } from '../../test/run-proof.ts'
import { contractCall } from '../abi/contract-abi.ts'
import type { Address } from '../chain.ts'
import type { Dex } from '../pool.ts'
import type { ExchangeEvent } from '../pool-event.ts'
import { coinsBy, proveListed } from './listed-venue.ts'
import { provePool } from './prove-pool.ts'
import { pairId } from './settled-venue.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [POOL, FACTORY, A, B, C] = [address('aa'), address('fa'), address('01'), address('02'), address('03')]

test('a listed pool with one unreadable coin is refused, because the others would be counted wrongly', () => {
  const dex: Dex = { name: 'three', kind: 'fluid', factory: FACTORY }
  const names = ['first', 'second', 'third'].map((name) => `function ${name}() view returns (address)`)
  const isPool = 'function isPool(address) view returns (bool)'
  const coins = names.map((abi, index): KnownResult => ({ to: POOL, abi, result: [[A, B, C][index]] }))
  const listed: KnownResult = { to: FACTORY, abi: isPool, args: [POOL], result: [true] }
  const prove = (known: readonly KnownResult[]) => {
    const coins = names.map((name) => coinsBy(contractCall(name)))
    return answerProof(
      proveListed({ pool: POOL, family: 'fluid', events: [] }, dex, contractCall(isPool), coins),
      known,
    )
  }
  expect(prove([listed, ...coins])).toMatchObject({ coins: [A, B, C] })
  expect(prove([listed, ...coins.slice(1)])).toBeNull()
})

test('two tokens of a settling contract are identified by the hash of both', () => {
  const dex: Dex = { name: 'zeroex', kind: 'zeroex', factory: FACTORY }
  const event = { type: 'exchange', sold: { token: A }, bought: { token: B } } as ExchangeEvent
  const prove = (tokenA: Address, tokenB: Address) =>
    answerProof(
      provePool({ pool: `${FACTORY}${pairId(tokenA, tokenB).slice(2)}`, family: 'zeroex', events: [event] }, [dex]),
      [],
    )
  expect(prove(B, A)).toMatchObject({ token0: A, token1: B })
  expect(prove(A, C)).toBeNull()
})
