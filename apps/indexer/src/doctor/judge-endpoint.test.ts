import type { EndpointSurvey } from '@dexfeed/chain'
import { DAY_S } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { type EndpointNeed, judgeEndpoint } from './judge-endpoint.ts'

const survey: EndpointSurvey = {
  url: 'http://node.example',
  requests: 9,
  failure: null,
  chainId: 56,
  clockOffsetMs: null,
  finalized: 90,
  head: { number: 100, timestamp: 1_000 },
  logs: { block: 97, byTopic: null, receipts: null },
  range: { blocks: 1_000, isLimit: false, refusal: null },
  batch: null,
  rate: null,
  start: null,
}
const need: EndpointNeed = {
  network: 'bsc',
  headPerS: 1,
  perS: null,
  days: 7,
  hasArchive: false,
  startIsElsewhere: false,
  now: 1_000_000,
}

test.each([
  ['as far as it is known', { block: 80, ageS: 2 * DAY_S }, 'BSC_HISTORY_URL), or set BACKFILL_DAYS=2'],
  ['and no days that nobody knows', null, 'BSC_HISTORY_URL)'],
] as const)('a node without the start advises the days that it keeps, %s', (_, kept, end) => {
  const start = { block: 10, problem: 'pruned', kept }
  const [{ advice = '' } = {}] = judgeEndpoint({ ...survey, start }, need)
  expect(advice.slice(-end.length)).toBe(end)
})
