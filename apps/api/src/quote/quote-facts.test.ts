import { createMarket } from '@dexfeed/dex'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { expect, test } from 'vitest'
import { quoteFlags } from './quote-facts.ts'

const [LISTED, PROVEN, TAXED, UNKNOWN] = [hexNumber(1), hexNumber(2), hexNumber(3), hexNumber(4)]

test('a listed token that arrives short is unproven; another one is unlisted, and unproven until it has moved', () => {
  const market = createMarket([], new Set([LISTED, TAXED]))
  market.pass(PROVEN, 'proven')
  market.pass(TAXED, 'taxed')
  const flagsOf = (token: typeof LISTED) => quoteFlags(market, [LISTED, token], [])
  expect(flagsOf(LISTED)).toEqual([])
  expect(flagsOf(TAXED)).toEqual(['unproven'])
  expect(flagsOf(PROVEN)).toEqual(['unlisted-token'])
  expect(flagsOf(UNKNOWN)).toEqual(['unlisted-token', 'unproven'])
})
