import { expect, test } from 'vitest'
import type { ReferenceEvent } from '../../pool-event.ts'
import { evidenceStart, knownLiquidity, type LiquidityEvidence, MOST_EVENTS, withEvent } from './liquidity-evidence.ts'

const HOUR = 100

/** The evidence after events, each with its block. */
function after(...events: [number: number, event: ReferenceEvent][]) {
  let evidence: LiquidityEvidence = []
  let pricedAt: number | null = null
  for (const [number, event] of events) {
    evidence = withEvent(evidence, { number, event, pricedAt, tickSpacing: 10 }, HOUR)
    if (event.type === 'price') pricedAt = number
  }
  return knownLiquidity(evidence, pricedAt ?? 0, HOUR)
}

const mint = (tickLower: number, delta = 5n): ReferenceEvent => {
  return { type: 'liquidity', tickLower, tickUpper: tickLower + 10, delta }
}
const swap = (tick: number, liquidity: bigint): ReferenceEvent => {
  return { type: 'price', state: { kind: 'concentrated', tick, sqrtPriceX96: 1n, liquidity } }
}
const span = (lower: number, liquidity: bigint) => ({ lower, upper: lower + 10, liquidity })

test('a swap tells the liquidity between the two ticks around its end at which it may change', () => {
  expect(after([1_201, swap(-3, 7n)])).toEqual([span(-10, 7n)])
  expect(after([1_201, swap(10, 7n)], [1_202, swap(9, 8n)])).toEqual([span(0, 8n), span(10, 7n)])
})

test('of a quiet pool what the period of six hours before its last price tells counts, and nothing before', () => {
  expect([evidenceStart(1_250, HOUR, true), evidenceStart(1_250, HOUR, false)]).toEqual([600, 1_100])
  expect(after([600, mint(50)], [1_250, swap(0, 7n)])).toEqual([span(0, 7n), span(50, 5n)])
  expect(after([599, mint(50)], [1_250, swap(0, 7n)])).toEqual([span(0, 7n)])
})

test('of a busy one what the hour before does', () => {
  const often = Array.from({ length: MOST_EVENTS }, (_, at): [number, ReferenceEvent] => [
    1_100 + (at >> 2),
    swap(0, 7n),
  ])
  expect(after([1_099, mint(50)], ...often.slice(1))).toEqual([span(0, 7n), span(50, 5n)])
  expect(after([1_099, mint(50)], ...often)).toEqual([span(0, 7n)])
  expect(after([1_100, mint(50)], ...often)).toEqual([span(0, 7n), span(50, 5n)])
})

test('liquidity that comes after the last price, however late, takes nothing from what is known', () => {
  expect(after([700, mint(50)], [1_250, swap(0, 7n)], [5_000, mint(50)])).toEqual([span(0, 7n), span(50, 10n)])
})

test('and counts for the next price, too', () => {
  expect(after([1_250, swap(0, 7n)], [5_000, mint(50)], [5_001, swap(0, 8n)])).toEqual([span(0, 8n), span(50, 5n)])
})
