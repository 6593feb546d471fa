import { expect, test } from 'vitest'
import { checkIndexerEnvironment } from './check-environment.ts'

const RPC = { ETH_RPC_URL: 'https://rpc.example' }
const indexer = (environment: Record<string, string>) => checkIndexerEnvironment(environment, () => '')

test('takes thresholds of wash trading, percents up to 101, which is never', () => {
  expect(indexer(RPC).settings?.wash).toEqual({
    ...{ minVolumeUsd: 10_000, minSwaps: 20, roundTripPercent: 50, topTraders: 2, topTradersPercent: 90 },
    matchedPercent: 50,
  })
  const given = { WASH_MIN_VOLUME_USD: '0', WASH_TOP_TRADERS: '5', WASH_MATCHED_PERCENT: '101' }
  expect(indexer({ ...RPC, ...given }).settings?.wash).toMatchObject({
    ...{ minVolumeUsd: 0, topTraders: 5, matchedPercent: 101 },
  })
  expect(indexer({ ...RPC, WASH_ROUND_TRIP_PERCENT: '0.5' }).problems).toEqual([
    'WASH_ROUND_TRIP_PERCENT: must be a whole number from 1 to 101, not "0.5"',
  ])
})
