import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { Address } from '../chain/hex.ts'
import { TransferAmounts } from './transfer-index.ts'

const TOKENS: readonly Address[] = ['0x0a', '0x0b']
const ACCOUNTS: readonly Address[] = ['0x01', '0x02']
const transfers = fc
  .array(
    fc.record({
      token: fc.constantFrom(...TOKENS),
      from: fc.constantFrom(...ACCOUNTS),
      to: fc.constantFrom(...ACCOUNTS),
      amount: fc.bigInt(0n, 12n),
    }),
    { maxLength: 20 },
  )
  .map((list) => list.map((one, at) => ({ ...one, logIndex: 2 * at + 1 })))
const query = fc.record({
  token: fc.constantFrom(...TOKENS),
  amount: fc.bigInt(0n, 12n),
  after: fc.integer({ min: -1, max: 42 }),
  before: fc.integer({ min: -1, max: 42 }),
})
const distance = (a: bigint, b: bigint) => (a < b ? b - a : a - b)

test('looking up an amount finds what looking at each transfer finds', () => {
  fc.assert(
    fc.property(transfers, query, (list, { token, amount, after, before }) => {
      const amounts = new TransferAmounts(list)
      const ofToken = list.filter((one) => one.token === token && one.from !== one.to)
      const isThere = ofToken.some((one) => one.amount === amount && one.logIndex > after && one.logIndex < before)
      expect(amounts.has(token, amount, after, before)).toBe(isThere)
      let nearest: bigint | null = null
      for (const one of ofToken) {
        if (nearest === null || distance(one.amount, amount) < distance(nearest, amount)) nearest = one.amount
      }
      expect(amounts.nearest(token, amount)).toBe(nearest)
    }),
    { numRuns: 400 * inject('scale') },
  )
})
