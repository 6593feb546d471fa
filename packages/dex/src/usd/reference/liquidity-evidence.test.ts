import { expect, test } from 'vitest'
import type { ReferenceEvent } from '../../pool-event.ts'
import {
  evidenceStart,
  knownLiquidity,
  type LiquidityEvidence,
  MAX_EVIDENCE_BLOCKS,
  withEvent,
} from './liquidity-evidence.ts'

const HOUR = 100

function after(hour: number, ...events: [number: number, event: ReferenceEvent][]) {
  let evidence: LiquidityEvidence = []
  let pricedAt: number | null = null
  for (const [number, event] of events) {
    evidence = withEvent(evidence, { number, event, pricedAt, tickSpacing: 10 }, hour)
    if (event.type === 'price') pricedAt = number
  }
  return knownLiquidity(evidence, pricedAt ?? 0, hour)
}

const mint = (tickLower: number, delta = 20n): ReferenceEvent => {
  return { type: 'liquidity', tickLower, tickUpper: tickLower + 10, delta }
}
const swap = (tick: number, liquidity: bigint): ReferenceEvent => {
  return { type: 'price', state: { kind: 'concentrated', tick, sqrtPriceX96: 1n, liquidity } }
}
const span = (lower: number, liquidity: bigint) => ({ lower, upper: lower + 10, liquidity })

test('a swap shows the liquidity between the two ticks around its end at which it may change', () => {
  expect(after(HOUR, [1_201, swap(-3, 7n)])).toEqual([span(-10, 7n)])
  expect(after(HOUR, [1_201, swap(10, 7n)], [1_202, swap(9, 8n)])).toEqual([span(0, 8n), span(10, 7n)])
})

test('of a quiet pool, the period of six hours before its last price counts, and nothing before', () => {
  expect([evidenceStart(1_250, HOUR, true), evidenceStart(1_250, HOUR, false)]).toEqual([600, 1_100])
  expect(after(HOUR, [600, mint(50)], [1_250, swap(0, 7n)])).toEqual([span(0, 7n), span(50, 20n)])
  expect(after(HOUR, [599, mint(50)], [1_250, swap(0, 7n)])).toEqual([span(0, 7n)])
})

test('of a busy one, in whose blocks before that hour there were many events, what the hour before does', () => {
  const hour = 1_000
  const evidence = (...events: [number: number, event: ReferenceEvent][]) => after(hour, ...events)
  const often = (blocks: number, first = 6_500): [number, ReferenceEvent][] =>
    Array.from({ length: 2 * blocks }, (_, at) => [first + (at >> 1), swap(0, 7n)])
  const both = [span(0, 7n), span(50, 20n)]
  expect(evidence([6_100, mint(50)], ...often(MAX_EVIDENCE_BLOCKS - 1), [9_500, swap(0, 7n)])).toEqual(both)
  expect(evidence([6_100, mint(50)], ...often(MAX_EVIDENCE_BLOCKS), [9_500, swap(0, 7n)])).toEqual([span(0, 7n)])
  const young = [span(0, 7n), span(50, 1n)]
  expect(evidence(...often(MAX_EVIDENCE_BLOCKS), [8_000, mint(50)], [9_500, swap(0, 7n)])).toEqual(young)
  // Events in the last hour, or in the one before, do not shorten the period.
  expect(evidence([6_100, mint(50)], ...often(900, 8_100), ...often(600, 9_000))).toEqual(both)
})

test('dust that is put in far from the price displaces nothing near it', () => {
  const dust = Array.from({ length: 600 }, (_, at): [number, ReferenceEvent] => [1_203, mint(100_000 + 20 * at, 1n)])
  const known = after(HOUR, [1_201, mint(50)], [1_202, swap(0, 7n)], ...dust)
  expect(known.slice(0, 2)).toEqual([span(0, 7n), span(50, 1n)])
})

test('liquidity that comes after the last price, however late, takes nothing from what is known', () => {
  expect(after(HOUR, [700, mint(50)], [1_250, swap(0, 7n)], [5_000, mint(50)])).toEqual([span(0, 7n), span(50, 21n)])
})

test('and counts for the next price, too', () => {
  expect(after(HOUR, [1_250, swap(0, 7n)], [5_000, mint(50)], [5_001, swap(0, 8n)])).toEqual([
    span(0, 8n),
    span(50, 1n),
  ])
})

// block 1,100: start of the hour before the swap's hour
test('what was put in since the hour before the last price, and not taken out, counts for a twentieth', () => {
  expect(after(HOUR, [1_099, mint(50)], [1_250, swap(0, 7n)])).toEqual([span(0, 7n), span(50, 20n)])
  expect(after(HOUR, [1_100, mint(50)], [1_250, swap(0, 7n)])).toEqual([span(0, 7n), span(50, 1n)])
  // A swap that shows the liquidity does not make it older. Whatever else the swap shows is older.
  expect(after(HOUR, [1_240, mint(50)], [1_250, swap(50, 27n)])).toEqual([span(50, 8n)])
  const burnt: [number, ReferenceEvent] = [1_245, mint(50, -20n)]
  expect(after(HOUR, [1_240, mint(50)], burnt, [1_250, swap(50, 7n)])).toEqual([span(50, 7n)])
  // Nor does dust elsewhere make it older, in however many positions.
  const dust = Array.from({ length: 600 }, (_, at): [number, ReferenceEvent] => [1_241, mint(100_000 + 20 * at, 1n)])
  const far: [number, ReferenceEvent] = [1_240, swap(100_000, 1n)]
  const known = after(HOUR, [1_240, mint(50)], far, ...dust, [1_250, swap(50, 20n)])
  expect(known[0]).toEqual(span(50, 1n))
})
