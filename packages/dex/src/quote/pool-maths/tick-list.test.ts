import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { getSqrtRatioAtTick } from '../../maths/tick-math.ts'
import type { TickLiquidity } from '../../pool-state.ts'
import { TickList, TickTable } from './tick-list.ts'

const INT128 = 2n ** 127n
const tick = fc.record({
  tick: fc.integer({ min: -30, max: 30 }),
  gross: fc.constantFrom(0n, 1n, 1n),
  net: fc.oneof(fc.bigInt({ min: -INT128, max: INT128 - 1n }), fc.constantFrom(-INT128, INT128 - 1n, -1n, 0n)),
})
const change = fc.oneof(
  { weight: 8, arbitrary: tick.map((row) => ({ row, all: null })) },
  { weight: 1, arbitrary: fc.array(tick, { maxLength: 40 }).map((all) => ({ row: null, all })) },
)

function expectSame(list: TickList, rows: readonly TickLiquidity[]): void {
  const sorted = rows.toSorted((a, b) => a.tick - b.tick)
  expect(list.size).toBe(sorted.length)
  let [sum, greatest] = [0n, 0n]
  sorted.forEach((row, index) => {
    expect([list.tickAt(index), list.netAt(index)]).toEqual([row.tick, row.net])
    expect(list.ratioOf(row.tick)).toBe(getSqrtRatioAtTick(row.tick))
    expect(list.firstAbove(row.tick)).toBe(index + 1)
    sum += row.net
    if (sum > greatest) greatest = sum
  })
  expect(list.maxLiquidity()).toBe(greatest)
  expect([list.tickAt(-1), list.tickAt(list.size), list.netAt(-1), list.netAt(list.size)]).toEqual([
    ...[undefined, undefined, 0n, 0n],
  ])
}

test('lists that share a table hold what each was given, through any changes', () => {
  const changes = fc.array(fc.tuple(fc.nat({ max: 3 }), change, fc.boolean()), { minLength: 1, maxLength: 120 })
  fc.assert(
    fc.property(changes, (all) => {
      const table = new TickTable()
      const lists = [0, 1, 2, 3].map(() => new TickList(1, [], table))
      const rows = lists.map(() => new Map<number, TickLiquidity>())
      for (const [at, { row, all: whole }, isAsked] of all) {
        const [list, known] = [lists[at] as TickList, rows[at] as Map<number, TickLiquidity>]
        if (row !== null) {
          list.apply(row)
          if (row.gross === 0n) known.delete(row.tick)
          else known.set(row.tick, row)
        } else {
          const once = [...new Map(whole.map((each) => [each.tick, each])).values()]
          list.replace(once)
          known.clear()
          for (const each of once) if (each.gross !== 0n) known.set(each.tick, each)
        }
        if (isAsked) expectSame(list, [...known.values()])
      }
      lists.forEach((list, at) => {
        expectSame(list, [...(rows[at]?.values() ?? [])])
      })
    }),
    { numRuns: 40 * inject('scale') },
  )
})

test('what a list gives back is used again', () => {
  const table = new TickTable()
  const rows = Array.from({ length: 20 }, (_, at) => ({ tick: at, gross: 1n, net: 1n }))
  const ends = Array.from({ length: 50 }, () => {
    const list = new TickList(1, rows, table)
    list.clear()
    return table.take(0) + table.take(4)
  })
  // Each list reused the block of the previous one; the blocks of four are new.
  expect(Math.max(...ends)).toBeLessThan(32 + 50 * 4)
})
