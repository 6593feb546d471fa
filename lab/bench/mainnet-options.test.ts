import { expect, it } from 'vitest'
import { PRESETS } from './chain/shapes.ts'
import { MAINNET_ARGUMENTS, readMainnetOptions } from './mainnet-options.ts'

const DEFAULTS = Object.fromEntries(
  Object.entries(MAINNET_ARGUMENTS).flatMap(([name, option]) => ('default' in option ? [[name, option.default]] : [])),
)

it('a preset is a network, or all of them', () => {
  const read = (preset: string) => readMainnetOptions({ ...DEFAULTS, preset }).networks
  expect(read('polygon')).toEqual([{ network: 'polygon', shape: PRESETS.polygon }])
  expect(read('all').map(({ network }) => network)).toEqual(['eth', 'bsc', 'polygon'])
})

it('options override the preset', () => {
  const given = { pools: '40', 'new-pools': '0.5', 'block-time': '0.75', 'log-cap': '500' }
  const { networks } = readMainnetOptions({ ...DEFAULTS, ...given })
  const overrides = { pools: 40, newPoolsPerMinute: 0.5, blockTimeS: 0.75, logCap: 500 }
  expect(networks).toEqual([{ network: 'bsc', shape: { ...PRESETS.bsc, ...overrides } }])
})

it('a rate of 0 removes the limit', () => {
  expect(readMainnetOptions({ ...DEFAULTS, rate: '0' }).budget.rate).toBeNull()
  const { budget } = readMainnetOptions({ ...DEFAULTS, rate: '25', burst: '5', refusal: 'item' })
  expect(budget).toEqual({ rate: 25, burst: 5, refusal: 'item' })
})

it.each([
  [{ preset: 'base' }, '--preset'],
  [{ refusal: 'never' }, '--refusal'],
  [{ history: 'memory' }, '--history'],
  [{ rate: '-1' }, '--rate'],
  [{ minutes: 'two' }, '--minutes'],
  [{ pools: '3' }, '--pools'],
  [{ 'block-time': '0' }, '--block-time'],
])('%j is refused by name', (given, name) => {
  expect(() => readMainnetOptions({ ...DEFAULTS, ...given })).toThrow(name)
})
