import { expect, test } from 'vitest'
import { type SummarySettings, startSummary } from './start-summary.ts'

const settings: SummarySettings = {
  network: 'bsc',
  rpcUrls: ['http://a.example', 'http://b.example'],
  archive: {},
  startBlock: null,
  backfillDays: 7,
  retentionDays: 30,
}

test('the summary says what is indexed, from where, and what disk it takes', () => {
  expect(startSummary(settings)).toBe(
    'indexes the last 7 days and all new blocks, from 2 endpoints and an archive; up to 11,000,000 trades and 6.6 GB a day, 198 GB for 30 days',
  )
})

test('a start block, one endpoint and no end of the rows are named', () => {
  const other = {
    ...settings,
    rpcUrls: ['http://a.example'],
    archive: null,
    startBlock: 19_000_000,
    retentionDays: null,
  }
  expect(startSummary({ ...other, network: 'eth' })).toBe(
    'indexes everything since block 19000000 and all new blocks, from 1 endpoint; up to 440,000 trades and 0.3 GB a day, all days are kept',
  )
})
