import { HOUR, NETWORKS } from '@dexfeed/dex'
import { runIndexer } from '@dexfeed/indexer/test/run-indexer'
import { compareRows, expectedRows } from '@dexfeed/test/expected/rows'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, onTestFinished, test } from 'vitest'
import { withClient } from './bench/bench-database.ts'
import { loadKeccak } from './chain/commitments/keccak.ts'
import { MadeChain } from './chain/made/made-chain.ts'
import { PLAIN } from './chain/made/shapes.ts'
import { madeRows } from './expected.ts'
import { serveChain } from './node/made/serve-chain.ts'
import { NO_LIMIT } from './node/rpc/budget.ts'
import { compareStates } from './simulation/check-database.ts'

/** A small chain whose cycle ends among its last blocks, each of which creates a pool. */
const SHAPE = {
  ...PLAIN,
  blockTimeS: 40_000,
  transactions: 22,
  swaps: 20,
  logs: 90,
  pools: 40,
  cycle: 6,
  ticks: 6,
  newPoolsPerMinute: 60 / 40_000,
}
const HEAD_TIME = 1_700_000_000
const LIVE_BLOCKS = 6
const ANY = 'ctid = (SELECT min(ctid) FROM swap)'
const WRONG = [
  [`UPDATE swap SET buy_amount = buy_amount + 1 WHERE ${ANY}`, 'swap'],
  [`UPDATE swap SET trader = sell_token WHERE ${ANY}`, 'swap'],
  ['UPDATE swap SET volume_usd = volume_usd + 0.00000001 WHERE volume_usd IS NOT NULL', 'swap'],
  [`DELETE FROM swap WHERE ${ANY}`, 'swap'],
  ['UPDATE day_total SET volume_usd = volume_usd + 0.00000001', 'day_total'],
  ['DELETE FROM day_trader WHERE ctid = (SELECT min(ctid) FROM day_trader)', 'day_trader'],
  ['UPDATE day_address_count SET addresses = addresses + 1', 'day_address_count'],
] as const

test('bench index accepts the rows of its chain, as indexed, and none that differs', async () => {
  const chain = new MadeChain({ network: 'eth', seed: 1, shape: SHAPE, history: 5 }, await loadKeccak())
  chain.link(HEAD_TIME)
  const node = await serveChain(chain, { budget: NO_LIMIT, latencyMs: 0, receipts: true })
  onTestFinished(() => node.close())
  const databaseUrl = await testDatabase()
  const { network, deployment } = chain.market
  // Later heads are announced, not polled.
  const { httpUrl: rpcUrl, wsUrl } = node
  const onChain = { network, rpcUrl, wsUrl, deployment, startBlock: chain.first, pollMs: HOUR }
  const indexer = await runIndexer({ databaseUrl, ...onChain })
  const caughtUp = () => indexer.caughtUp({ number: chain.head, hash: chain.headerAt(chain.head)?.hash ?? '' })
  await caughtUp()
  for (let i = 0; i < LIVE_BLOCKS; i++) node.publish()
  await caughtUp()
  await indexer.stop()
  const indexed = madeRows(chain, HEAD_TIME, chain.head)
  const expected = expectedRows([indexed])
  const states = [...chain.market.pools, ...chain.laterPools(chain.head)].flatMap((pool) => {
    const state = indexed.pools.has(pool.address) ? chain.stateOf(pool, chain.head) : undefined
    return state === undefined ? [] : [[pool.address, state] as const]
  })
  await withClient(databaseUrl, new AbortController(), async (client) => {
    expect(await compareRows(client, expected)).toEqual([])
    expect(await compareStates(client, [{ chainId: NETWORKS[network].chainId, states }])).toEqual([])
    const { rows } = await client.query('SELECT unproven_since FROM network')
    expect(rows, 'blocks match their hashes and receipts').toEqual([{ unproven_since: null }])
    for (const [statement, table] of WRONG) {
      await client.query('BEGIN')
      const { rowCount } = await client.query(statement)
      expect(rowCount, statement).toBeGreaterThan(0)
      expect(await compareRows(client, expected), statement).toEqual([expect.stringMatching(`^${table}:`)])
      await client.query('ROLLBACK')
    }
  })
})
