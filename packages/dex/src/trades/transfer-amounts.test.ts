import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { Address } from '../chain.ts'
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
  .map((list) => list.map((each, at) => ({ ...each, logIndex: 2 * at + 1 })))
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
      const ofToken = list.filter((each) => each.token === token && each.from !== each.to)
      const isThere = ofToken.some((each) => each.amount === amount && each.logIndex > after && each.logIndex < before)
      expect(amounts.has(token, amount, after, before)).toBe(isThere)
      let nearest: bigint | null = null
      for (const each of ofToken) {
        if (nearest === null || distance(each.amount, amount) < distance(nearest, amount)) nearest = each.amount
      }
      expect(amounts.nearest(token, amount)).toBe(nearest)
    }),
    { numRuns: 400 * inject('scale') },
  )
})
