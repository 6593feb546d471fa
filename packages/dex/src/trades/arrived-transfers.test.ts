import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { countingReads } from '../../test/counting-reads.ts'
import { at, madeHop } from '../../test/made-hop.ts'
import { ownSwaps } from './own-swaps.ts'
import type { TokenTransfer } from './receipt/receipt-flows.ts'
import { ArrivedTransfers } from './transfer-index.ts'

const TOKENS = [at('7a'), at('e1')]
const HOLDERS = [...TOKENS, at('aa'), at('ab'), at('ac')]

const anyTransfers = fc
  .array(
    fc.record({
      token: fc.constantFrom(...TOKENS),
      from: fc.constantFrom(...HOLDERS),
      to: fc.constantFrom(...HOLDERS),
      amount: fc.bigInt({ min: 0n, max: 5n }),
      // Allows several transfers in one log, and logs without any.
      step: fc.nat(2),
    }),
    { maxLength: 40 },
  )
  .map((made) => {
    let logIndex = 0
    return made.map(({ step, ...transfer }): TokenTransfer => {
      logIndex += step
      return { ...transfer, logIndex }
    })
  })

test('finds what arrived where like a pass over all transfers', () => {
  const look = [fc.constantFrom(...TOKENS), fc.constantFrom(...HOLDERS), fc.nat(90), fc.nat(90)] as const
  fc.assert(
    fc.property(anyTransfers, ...look, (transfers, token, to, after, before) => {
      const arrived = new ArrivedTransfers(transfers)
      const there = transfers.filter((tokenTransfer) => tokenTransfer.token === token && tokenTransfer.to === to)
      expect(arrived.between(token, to, after, before)).toEqual(
        there.filter(({ logIndex }) => logIndex > after && logIndex < before),
      )
      const received = there.filter(({ from, logIndex }) => from !== to && logIndex < before)
      expect(arrived.receivedBefore(token, to, before)).toEqual({
        amount: received.reduce((sum, { amount }) => sum + amount, 0n),
        isFromToken: received.every(({ from }) => from === token),
      })
    }),
    { numRuns: 200 * inject('scale') },
  )
})

/** Returns `count` sales by one holder (`stock`) to one pair; the holder receives dust before each sale. */
function dustySales(count: number) {
  const [token, stock] = [at('7a'), at('5c')]
  const { pool } = madeHop(0, [token, 1n], [at('e1'), 1n])
  const transfers = Array.from({ length: count }, (_, i): TokenTransfer[] => {
    const dust = { token, from: at('d5'), to: stock, amount: 1n, logIndex: 3 * i }
    return [dust, { token, from: stock, to: pool.address, amount: 100n, logIndex: 3 * i + 1 }]
  }).flat()
  const hops = Array.from({ length: count }, (_, i) =>
    Object.assign(madeHop(3 * i + 2, [token, 100n], [at('e1'), 1n]), { pool }),
  )
  return { hops, transfers }
}

test('finding a transaction’s own swaps takes work that grows with its transfers', () => {
  const work = (count: number) => {
    const { hops, transfers } = dustySales(count)
    const { counted, reads } = countingReads(transfers)
    ownSwaps(hops, counted, at('ee'), at('e1'))
    return reads()
  }
  expect(work(400) / work(200)).toBeLessThan(2.5)
})
