import { expect, it } from 'vitest'
import { PRESETS } from '../chain/made/shapes.ts'
import { readOptions } from './options.ts'

const read = (given: Parameters<typeof readOptions>[1]) => readOptions('mainnet', given)

it('a preset is a network, or all of them', () => {
  expect(read({ preset: 'polygon' }).shapes).toEqual([{ network: 'polygon', shape: PRESETS.polygon }])
  expect(read({ preset: 'all' }).shapes.map(({ network }) => network)).toEqual(['eth', 'bsc', 'polygon'])
})

it('options override the preset', () => {
  const { shapes } = read({ pools: '40', 'block-swaps': '5' })
  const overrides = { pools: 40, swaps: 5 }
  expect(shapes).toEqual([{ network: 'bsc', shape: { ...PRESETS.bsc, ...overrides } }])
})

it('a rate of 0 removes the limit', () => {
  expect(read({ rate: '0' }).budget.rate).toBeNull()
  expect(read({ rate: '25', burst: '5', refusal: 'item' }).budget).toEqual({ rate: 25, burst: 5, refusal: 'item' })
})

it('pools are those of a market, or of a network', () => {
  expect(readOptions('quote', { pools: '300000' })).toMatchObject({ pools: 300_000 })
  expect(() => read({ pools: '300000' })).toThrow('--pools')
})

it.each([
  [{ preset: 'base' }, '--preset'],
  [{ refusal: 'never' }, '--refusal'],
  [{ history: 'memory' }, '--history'],
  [{ rate: '-1' }, '--rate'],
  [{ minutes: 'two' }, '--minutes'],
  [{ pools: '3' }, '--pools'],
  [{ 'block-swaps': '0' }, '--block-swaps'],
  [{ swaps: '1.5' }, '--swaps'],
])('%j is refused by name', (given, name) => {
  expect(() => read(given)).toThrow(name)
})
