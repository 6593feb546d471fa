import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { flowsOf } from '../age-flows.ts'
import { type ListOrder, ranked, walk } from '../ranking.ts'
import { type Figures, FigureTable, type OrderBy } from './figure-table.ts'

/** Numbers of any size, often near the limits of 64 bits. */
const whole = fc.oneof(
  fc.bigInt({ min: -(10n ** 6n), max: 10n ** 30n }),
  fc.bigInt({ min: -(2n ** 63n) - 2n, max: -(2n ** 63n) + 2n }),
  fc.bigInt({ min: 2n ** 63n - 2n, max: 2n ** 63n + 2n }),
)
const hex = (bytes: number) =>
  fc
    .bigInt({ min: 0n, max: 2n ** BigInt(8 * bytes) - 1n })
    .map((n): Figures['address'] => `0x${n.toString(16).padStart(2 * bytes, '0')}`)
const figures: fc.Arbitrary<Figures> = fc.record({
  // Few, so that some are found. Contracts, and pools inside of managers, whose ids may begin like an address.
  address: fc.oneof(
    hex(20),
    hex(52),
    hex(1).map((end): Figures['address'] => `0x${'00'.repeat(19)}${end.slice(2)}`),
  ),
  priceUsd: fc.option(fc.bigInt({ min: 1n, max: 10n ** 60n }).map((n) => `${n}.5`)),
  priceQuote: fc.option(fc.bigInt({ min: 1n, max: 10n ** 60n }).map((n) => `${n}.5`)),
  isWeighted: fc.option(fc.boolean()),
  changesE4: fc.array(fc.option(whole), { minLength: 4, maxLength: 4 }),
  volumeE8: fc.oneof(whole, fc.constant(0n)),
  swaps: fc.nat(),
  unpriced: fc.nat(),
  ages: fc.constantFrom(
    '[]',
    '[[3,1,0,"0.10000000",1,0,"0.10000000","0.00000000"]]',
    '[[0,2,0,"7.00000000",1,1,"5.00000000","2.00000000"],[2,3,0,"0.50000000",1,2,"0.10000000","0.40000000"]]',
    '[[1,9,0,"6.00000000",null,null,null,null]]',
  ),
  firstSeen: fc.option(fc.nat()),
  createdAt: fc.option(fc.nat()),
  liquidityE8: fc.option(whole),
  side: fc.constantFrom(0, 1),
})
const rows = fc.uniqueArray(figures, { selector: ({ address }) => address, maxLength: 200 })

const swapsOf = (age: number) => (of: Figures) => BigInt(flowsOf(of)[age]?.swaps ?? -1)
const volumeOf = (age: number) => (of: Figures) => flowsOf(of)[age]?.volumeE8 ?? null

const KEYS: Record<OrderBy, (of: Figures) => bigint | null> = {
  volume: ({ volumeE8 }) => volumeE8,
  volume_5m: volumeOf(0),
  volume_1h: volumeOf(1),
  volume_6h: volumeOf(2),
  swaps: ({ swaps }) => BigInt(swaps),
  swaps_5m: swapsOf(0),
  swaps_1h: swapsOf(1),
  swaps_6h: swapsOf(2),
  price_change_5m: ({ changesE4 }) => changesE4[0] ?? null,
  price_change_1h: ({ changesE4 }) => changesE4[1] ?? null,
  price_change_6h: ({ changesE4 }) => changesE4[2] ?? null,
  liquidity: ({ liquidityE8 }) => liquidityE8,
  price_change: ({ changesE4 }) => changesE4[3] ?? null,
  age: ({ firstSeen }) => (firstSeen === null ? null : BigInt(-firstSeen)),
  created: ({ createdAt }) => (createdAt === null ? null : BigInt(createdAt)),
}

/** Unknown is less than any known number. */
function plainOrder(a: bigint | null, b: bigint | null): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return a < b ? -1 : 1
}

function tableOf(given: readonly Figures[]): { table: FigureTable; sorted: Figures[] } {
  const sorted = given.toSorted((a, b) => (a.address < b.address ? -1 : 1))
  const table = new FigureTable('bsc')
  for (const figures of sorted) table.push(figures)
  return { table, sorted }
}

describe('a table of figures', () => {
  it('returns each row, by index and by address', () => {
    fc.assert(
      fc.property(rows, (given) => {
        const { table, sorted } = tableOf(given)
        expect(table.size).toBe(sorted.length)
        for (const [row, one] of sorted.entries()) {
          expect(table.at(row)).toEqual(one)
          expect(table.find(one.address)).toBe(row)
        }
      }),
    )
  })

  it('finds no other address, and returns where it would be', () => {
    fc.assert(
      fc.property(rows, hex(20), (given, address) => {
        const { table, sorted } = tableOf(given)
        const at = sorted.findIndex((figures) => figures.address >= address)
        expect(table.rowsBefore(address)).toBe(at < 0 ? sorted.length : at)
        expect(table.find(address)).toBe(sorted[at]?.address === address ? at : null)
      }),
    )
  })

  it('is ranked by the figure that orders it, with unknown ones first or last', async () => {
    const by = fc.constantFrom(...(Object.keys(KEYS) as OrderBy[]))
    await fc.assert(
      fc.asyncProperty(rows, by, async (given, by) => {
        const { table, sorted } = tableOf(given)
        for (const [row, one] of sorted.entries()) expect(table.key(by, row)).toBe(KEYS[by](one))
        const ascending = sorted.toSorted((a, b) => plainOrder(KEYS[by](a), KEYS[by](b)))
        const unknown = ascending.filter((figures) => KEYS[by](figures) === null)
        const ranking = await ranked(table, by)
        const key = vi.spyOn(table, 'key')
        const walked = (order: ListOrder, ascending: boolean) =>
          [...walk([ranking], order, { ascending, from: null })].map(({ row, key }) => [table.address(row), key])
        const expected = ascending.map((figures) => [figures.address, KEYS[by](figures)])
        const unknownLast = [...expected.slice(unknown.length), ...expected.slice(0, unknown.length)]
        expect(walked('desc', true)).toEqual(expected)
        expect(walked('desc', false)).toEqual(expected.toReversed())
        expect(walked('asc', true)).toEqual(unknownLast)
        expect(walked('asc', false)).toEqual(unknownLast.toReversed())
        // A figure may be summed up from JSON: only once per row.
        expect(key).not.toHaveBeenCalled()
      }),
    )
  })

  it('sums the value of pools', () => {
    fc.assert(
      fc.property(rows, fc.array(whole, { minLength: 1, maxLength: 5 }), (given, worths) => {
        const { table, sorted } = tableOf(given)
        const [one] = sorted
        for (const worth of worths) table.addLiquidity(one?.address ?? '0x00', worth)
        const sum = worths.reduce((total, worth) => total + worth, one?.liquidityE8 ?? 0n)
        for (const row of sorted.keys()) {
          expect(table.at(row).liquidityE8).toBe(row === 0 ? sum : (sorted[row]?.liquidityE8 ?? null))
        }
      }),
    )
  })
})
