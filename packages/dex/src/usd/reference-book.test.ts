import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address } from '../chain.ts'
import type { ReferencePool } from './reference/reference-pool.ts'
import { ReferenceBook } from './reference-book.ts'

const [WETH, USDC, DAI]: [Address, Address, Address] = ['0x03', '0x01', '0x02']
const decimals = new Map([WETH, USDC, DAI].map((token) => [token, 18]))
const config = {
  wrappedNative: WETH,
  stablecoins: [USDC, DAI],
  anchors: [],
  decimals,
  settlingBlocks: 3,
  hourBlocks: 2,
}
const NOW = 1_000_000
const E18 = 10n ** 18n
const KNOWN: ReferencePool[] = [{ address: '0xf0', token0: USDC, token1: WETH, tickSpacing: 1 }]
const LATER: ReferencePool[] = [
  { address: '0xf1', token0: DAI, token1: WETH, tickSpacing: 1 },
  { address: '0xf2', token0: USDC, token1: DAI, tickSpacing: 1 },
]
const POOLS = [...KNOWN, ...LATER]

/** For each block: a pool that becomes known, and states after price events. */
const blocks = fc.array(
  fc.record({
    added: fc.constantFrom(null, 0, 1),
    events: fc.array(fc.record({ pool: fc.nat({ max: 2 }), price: fc.integer({ min: 1, max: 5_000 }) }), {
      maxLength: 4,
    }),
  }),
  { maxLength: 12 },
)
type Blocks = typeof blocks extends fc.Arbitrary<infer T> ? T : never

function walk(book: ReferenceBook, walked: Blocks, first: number): void {
  walked.forEach(({ added, events }, i) => {
    const number = first + i
    const pool = added === null ? undefined : LATER[added]
    if (pool !== undefined) book.addPool(pool, number)
    for (const { pool: index, price } of events) {
      const state = { kind: 'pair', reserve0: BigInt(price) * E18, reserve1: E18 } as const
      // Several blocks may have the same time.
      const block = { number, timestamp: NOW + (number >> 1) }
      book.record(POOLS[index]?.address ?? '0x', { type: 'price', state }, block)
    }
  })
}

function pricesOf(book: ReferenceBook, number: number) {
  const { native, stablecoins } = book.pricesAt({ number, timestamp: NOW + 10 })
  return { native, stablecoins, pools: new Set(book.pools().map(({ address }) => address)) }
}

test('a book that is rolled back is as if the blocks had never been, and so it goes on', () => {
  fc.assert(
    fc.property(blocks, blocks, blocks, fc.nat(12), fc.nat(), (before, orphaned, branch, cut, final) => {
      const ancestor = before.length
      const straight = new ReferenceBook(config, KNOWN)
      walk(straight, before, 1)
      const book = new ReferenceBook(config, KNOWN)
      book.rememberSince(0)
      walk(book, before, 1)
      walk(book, orphaned.slice(0, cut), ancestor + 1)
      // Some of the blocks below may be final by now.
      book.rememberSince(final % (ancestor + 1))
      const copy = book.copy()
      const end = ancestor + cut + branch.length + 1
      const ahead = pricesOf(book, end)
      expect(copy.rollBack(ancestor)).toBe(true)
      const behind = pricesOf(straight, ancestor + 1)
      expect(pricesOf(copy, ancestor + 1)).toEqual(behind)
      for (const referenceBook of [copy, straight]) walk(referenceBook, branch, ancestor + 1)
      expect(pricesOf(copy, end)).toEqual(pricesOf(straight, end))
      expect(copy.rollBack(ancestor)).toBe(true)
      // The original is unchanged, and rolls back independently.
      expect(pricesOf(book, end)).toEqual(ahead)
      expect(book.rollBack(ancestor)).toBe(true)
      expect(pricesOf(book, ancestor + 1)).toEqual(behind)
    }),
  )
})

test('a book rolls back no further than it remembers', () => {
  const book = new ReferenceBook(config, KNOWN)
  expect(book.rollBack(5)).toBe(false)
  book.rememberSince(3)
  expect([book.rollBack(3), book.rollBack(2)]).toEqual([true, false])
  book.rememberSince(1)
  expect(book.rollBack(2)).toBe(false)
  expect(book.copy().rollBack(2)).toBe(false)
})
