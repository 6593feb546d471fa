import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { formulaKind } from '../../src/venues/registry.ts'

/** Units of one coin sold for another, and what the contract paid, or null if it reverted. */
type Reply = readonly [from: number, to: number, amountIn: string, amountOut: string | null]
type Replies = readonly { values: readonly string[]; replies: readonly Reply[] }[]

/** What real contracts paid, or what their views quoted, in random states on a local chain. */
const recorded = new URL('../fixtures/formula-replies.json.gz', import.meta.url)
const formulas: Record<string, Replies> = JSON.parse(gunzipSync(readFileSync(recorded)).toString()).formulas

test.each(Object.entries(formulas))('%s pays what contracts replied, to the unit', (name, states) => {
  const kind = formulaKind(name)
  let compared = 0
  for (const { values, replies } of states) {
    const maths = kind?.of(values.map(BigInt))
    for (const [from, to, amountIn, amountOut] of replies) {
      expect(maths?.amountOut(from, to, BigInt(amountIn)) ?? null).toBe(amountOut === null ? null : BigInt(amountOut))
      compared++
    }
  }
  expect(compared).toBeGreaterThanOrEqual(180)
})
