import { checksumAddress } from '@dexfeed/contract'
import { hexNumber, type SeedNetwork, seedNetwork, seedPool, seedTokens } from '@dexfeed/test-setup/seed'
import { expect, it } from 'vitest'
import { NOON, openFixture } from '../../../test/api-fixture.ts'

const [WRAPPED, STABLE, UNKNOWN] = [hexNumber(0xa1), hexNumber(0xb2), hexNumber(0xc3)]
const timeOf = (block: number) => NOON - (100 - block) * 12
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

/** Blocks 11 to 19 are missing. */
const BSC: SeedNetwork = {
  ...{ network: 'bsc', wrapped: WRAPPED, stablecoins: [STABLE, UNKNOWN], start: { number: 1, time: timeOf(1) } },
  ...{ head: { number: 98, time: timeOf(98) }, final: 90 },
  covered: [
    [1, 10, timeOf(1), timeOf(10)],
    [20, 98, timeOf(20), timeOf(98)],
  ],
}

it('/v1/networks says what each network has, and what a client must know of it', async () => {
  const api = await openFixture({
    fill: async (owner) => {
      await seedNetwork(owner, BSC)
      await seedNetwork(owner, { network: 'eth', wrapped: STABLE, start: { number: 5, time: NOON } })
      await seedNetwork(owner, { ...BSC, network: 'polygon', active: false })
      await owner.query(`UPDATE network SET chain_head_number = 103 WHERE name = 'bsc'`)
      await seedTokens(owner, 'bsc', [
        { address: WRAPPED, symbol: 'WBNB', name: 'Wrapped', decimals: 18, symbols: ['WBNB', 'ALIAS'] },
        { address: STABLE, symbol: 'USDT', name: '<b>', decimals: 6 },
      ])
      for (const n of [1, 2, 3]) {
        await seedPool(owner, { network: 'bsc', address: hexNumber(n), token0: WRAPPED, token1: STABLE })
      }
      await owner.query(`UPDATE pool SET dex = 'other' WHERE address = $1`, [
        Buffer.from('03'.padStart(40, '0'), 'hex'),
      ])
    },
  })
  const { body, headers } = await api.get('/v1/networks')
  expect(headers.get('x-indexed-block')).toBe('bsc=98')
  expect(body.data).toEqual([
    {
      ...{ network: 'eth', chain_id: 1, coin: { address: '', symbol: 'ETH', name: 'Ether', decimals: '18' } },
      wrapped_coin: { address: checksumAddress(STABLE), symbol: null, name: null, decimals: null },
      ...{ stablecoins: [], ready: false, proven: true, chain_head: null, indexed_block: null },
      ...{ indexed_block_time: null, final_block: null, lag_blocks: null, lag_seconds: null },
      coverage: { from_block: null, since: null, done_blocks: 0, total_blocks: 0, gaps: 0 },
      ...{ kept_since: null, pools: 0, tokens: 0, protocols: 0 },
    },
    {
      ...{ network: 'bsc', chain_id: 56, coin: { address: '', symbol: 'BNB', name: 'BNB', decimals: '18' } },
      wrapped_coin: { address: checksumAddress(WRAPPED), symbol: 'WBNB', name: 'Wrapped', decimals: '18' },
      stablecoins: [
        { address: checksumAddress(STABLE), symbol: 'USDT', name: '<b>', decimals: '6' },
        { address: checksumAddress(UNKNOWN), symbol: null, name: null, decimals: null },
      ],
      ...{ ready: false, proven: true, chain_head: '103', indexed_block: '98', indexed_block_time: iso(timeOf(98)) },
      ...{ final_block: '90', lag_blocks: 5, lag_seconds: 24 },
      coverage: { from_block: '20', since: iso(timeOf(20)), done_blocks: 81, total_blocks: 90, gaps: 1 },
      ...{ kept_since: null, pools: 3, tokens: 2, protocols: 2 },
    },
  ])
  // What changes is seen with the next commit.
  await seedNetwork(api.owner, { ...BSC, covered: [[1, 98, timeOf(1), timeOf(98)]] })
  await api.owner.query(`UPDATE network SET unproven_since = $1, unproven_until = $1 WHERE name = 'bsc'`, [iso(NOON)])
  await api.owner.query(`INSERT INTO kept_days VALUES (1, '2026-11-20')`)
  await api.committed()
  const [, bsc] = (await api.get('/v1/networks')).body.data
  expect(bsc).toMatchObject({
    ...{ ready: true, proven: false, kept_since: '2026-11-20T00:00:00.000Z' },
    coverage: { from_block: '1', since: iso(timeOf(1)), done_blocks: 90, total_blocks: 90, gaps: 0 },
  })
})
