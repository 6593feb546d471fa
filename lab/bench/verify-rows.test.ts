import { parseDexConfig } from '@dexfeed/dex'
import { loadKeccak } from '@dexfeed/fake-node/commitments/keccak'
import { runIndexer } from '@dexfeed/indexer/test/run-indexer'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, onTestFinished, test } from 'vitest'
import { withClient } from './bench-database.ts'
import { verifyRows } from './verify-rows.ts'
import { makeChain } from './world/make-chain.ts'
import { serveChain } from './world/serve-chain.ts'
import { deploymentOf, makeWorld } from './world/world.ts'

const PLAN = {
  seed: 1,
  swaps: 80,
  swapsPerBlock: 20,
  otherTransactions: 2,
  receipts: true,
  firstTime: 1_700_000_000,
  blockTime: 40_000,
  keepStates: 4,
}
const ANY = 'ctid = (SELECT min(ctid) FROM swap)'
const WRONG = [
  [`UPDATE swap SET buy_amount = buy_amount + 1 WHERE ${ANY}`, 'wrong rows of block'],
  [`UPDATE swap SET trader = sell_token WHERE ${ANY}`, 'wrong rows of block'],
  [`DELETE FROM swap WHERE ${ANY}`, 'wrong rows of block'],
  ['UPDATE day_total SET volume_usd = volume_usd + 0.00000001', 'totals do not equal the rows'],
  ['UPDATE day_address_count SET addresses = addresses + 1', 'traders of days'],
] as const

test('bench index accepts the rows of its chain, as indexed, and none that differs', async () => {
  const { world, blocks, tally, ...chain } = makeChain(makeWorld('eth', 40), PLAN, await loadKeccak())
  const [head] = blocks.slice(-1)
  if (head === undefined) throw new Error('no blocks')
  const node = await serveChain({ world, blocks, tally, ...chain }, head.number, () => undefined)
  onTestFinished(() => node.close())
  const { deployments } = parseDexConfig(JSON.stringify({ eth: deploymentOf(world) }))
  if (deployments.eth === undefined) throw new Error('no deployment')
  const databaseUrl = await testDatabase()
  const rpcUrl = node.httpUrl
  const indexer = await runIndexer({ databaseUrl, network: 'eth', rpcUrl, deployment: deployments.eth })
  await indexer.caughtUp(head)
  await indexer.stop()
  await withClient(databaseUrl, new AbortController(), async (client) => {
    expect(await verifyRows(client, world.chainId, tally, 0)).toBeGreaterThan(0)
    for (const [statement, problem] of WRONG) {
      await client.query('BEGIN')
      const { rowCount } = await client.query(statement)
      expect(rowCount, statement).toBeGreaterThan(0)
      await expect(verifyRows(client, world.chainId, tally, 0), statement).rejects.toThrow(problem)
      await client.query('ROLLBACK')
    }
  })
})
