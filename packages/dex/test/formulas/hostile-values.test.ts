import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { upperBound } from '../../src/maths/formula.ts'
import { formulaKind } from '../../src/venues/registry.ts'
import { type Replies, recordedFormulas } from './recorded-formulas.ts'

/** The rounding of these contracts may pay more than the bound; their own tests compare both within it. */
const ROUNDED = new Set(['curve-stable', 'lista-stable', 'curve-crypto'])
/** And these may pay a few units less for a larger input. */
const UNEVEN = new Set([...ROUNDED, 'balancer-v2-weighted', 'balancer-v2-stable', 'stable-pair'])

const hostile = fc.oneof(
  fc.bigInt({ min: 0n, max: 3n }),
  fc.bigInt({ min: 0n, max: 10n ** 18n }),
  fc.bigInt({ min: 0n, max: 2n ** 112n }),
  fc.bigInt({ min: -10n, max: 2n ** 260n }),
  fc.constantFrom(1_000n, 10n ** 18n, 10n ** 36n, 2n ** 112n - 1n),
)
const changes = fc.array(fc.tuple(fc.nat(), hostile), { maxLength: 4 })
const amount = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.bigInt({ min: 0n, max: 2n ** 256n }))
const coin = fc.integer({ min: -1, max: 9 })

/** Draws a recorded state with some values replaced, and a recorded swap or any other. */
function hostileStates(states: Replies) {
  return fc.constantFrom(...states).chain(({ values, replies }) => {
    const swaps = replies.map(([from, to, amountIn]) => [from, to, BigInt(amountIn)] as const)
    const swap = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...swaps) }, fc.tuple(coin, coin, amount))
    return fc.tuple(changes, swap, amount).map(([changes, swap, more]) => {
      const changed = values.map(BigInt)
      for (const [place, value] of changes) changed[place % (changed.length + 1)] = value
      return { values: changed, swap, more }
    })
  })
}

test.each(Object.entries(recordedFormulas))(
  'whatever the values of %s are, no amount throws or exceeds its bound, and a larger input does not pay less',
  (name, states) => {
    let quoted = 0
    fc.assert(
      fc.property(hostileStates(states), ({ values, swap: [from, to, amountIn], more }) => {
        const maths = formulaKind(name)?.of(values) ?? null
        if (maths === null) return
        const { rate, depth } = maths.bound(from, to)
        // A market takes a bound that is not a number for no output.
        expect(rate < 0 || depth < 0).toBe(false)
        const amountOut = maths.amountOut(from, to, amountIn)
        expect(maths.amountOut(from, from, amountIn)).toBeNull()
        if (amountOut === null) return
        quoted++
        expect(amountOut).toBeGreaterThanOrEqual(0n)
        expect(amountOut).toBeLessThanOrEqual(maths.balances[to] ?? 0n)
        if (!ROUNDED.has(name)) expect(Number(amountOut)).toBeLessThanOrEqual(upperBound(rate, depth, Number(amountIn)))
        const greater = maths.amountOut(from, to, amountIn + more)
        if (!UNEVEN.has(name) && greater !== null) expect(greater).toBeGreaterThanOrEqual(amountOut)
      }),
      { numRuns: 100 * inject('scale') },
    )
    expect(quoted).toBeGreaterThan(0)
  },
)
