import { expect, it } from 'vitest'
import { gasEstimate } from './quote-body.ts'

const pair = { kind: 'pair', reserve0: 1n, reserve1: 1n } as const
const curve = { kind: 'concentrated', sqrtPriceX96: 1n, tick: 0, liquidity: 1n } as const
const formula = (name: string) => ({ kind: 'formula', formula: name as never, values: [], freshUntil: null }) as const

it('adds the transaction, further parts and hops by their kind', () => {
  expect(gasEstimate([[pair]])).toBe(120_000)
  expect(gasEstimate([[pair, curve], [curve]])).toBe(50_000 + 20_000 + 70_000 + 2 * 100_000)
  expect(gasEstimate([[formula('psm')]])).toBe(140_000)
  expect(gasEstimate([[formula('a formula of another version')]])).toBe(230_000)
})
