import type { Chain } from '@dexfeed/chain'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, test, vi } from 'vitest'
import type { RunningIndexer, RunOptions } from '../../test/scene/run-indexer.ts'
import { type ScriptedScene, scriptedScene } from '../../test/scene/scripted-scene.ts'

const LONG_MS = 60_000

/** Makes a chain of 100 blocks with its indexer, and records the node's requests by method or block tag. */
async function recorded() {
  const calls: string[] = []
  const at = (_: number, subjects: readonly string[]) => {
    calls.push(...subjects)
    return null
  }
  const scene = await scriptedScene('eth', 100, { seed: 3, schedule: { at } })
  const databaseUrl = await testDatabase()
  const start = (options?: Partial<RunOptions>) => scene.index(databaseUrl, options)
  return { scene, calls, start }
}

function countsOf(subjects: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const subject of subjects) counts[subject] = (counts[subject] ?? 0) + 1
  return counts
}

test('a block at the head costs itself and its logs where a socket announces it', async () => {
  const { scene, calls, start } = await recorded()
  // Nothing is polled during the test.
  const indexer = await start({ wsUrl: scene.wsUrl, pollMs: LONG_MS, finalityMs: LONG_MS })
  await indexer.caughtUp(scene.head())
  await vi.waitFor(() => {
    scene.announce()
    expect(calls.filter((subject) => subject === 'newHeads').length).toBeGreaterThan(1)
  }, 30_000)
  await mineOne(scene, indexer)
  await mineOne(scene, indexer)
  const before = calls.length
  for (let i = 0; i < 20; i++) await mineOne(scene, indexer)
  const counts = countsOf(calls.slice(before))
  // A connection that was idle for seconds, as on a busy machine, is opened again, which checks the chain id.
  const { eth_getBlockByNumber, newHeads, eth_chainId: _, eth_getTransactionReceipt: receipts, ...others } = counts
  expect(newHeads).toBe(20)
  // Of every 50 unproven blocks, one is read again with its receipts, and one for its transactions.
  expect(eth_getBlockByNumber).toBeGreaterThanOrEqual(20)
  expect(eth_getBlockByNumber).toBeLessThanOrEqual(22)
  // An empty block's logs are requested twice, and one receipt for each transaction that trades.
  const mined = scene.chain.blocks.slice(-20)
  expect(receipts).toBeLessThanOrEqual(mined.reduce((sum, { transactions }) => sum + transactions.length, 0))
  for (const polled of ['latest', 'finalized', 'eth_blockNumber']) expect(others).not.toHaveProperty(polled)
  expect(
    Object.values(others).reduce((sum, count) => sum + count, 0),
    JSON.stringify(others),
  ).toBeLessThan(30)
})

async function mineOne(scene: ScriptedScene, indexer: RunningIndexer): Promise<void> {
  scene.mine(1)
  await indexer.follows(scene.head())
}

test('neither a reorg nor a step that fails reads the reference prices of a day again', async () => {
  const { scene, start } = await recorded()
  const lookBacks: object[] = []
  let failures = 0
  const wrap = (chain: Chain): Chain => ({
    ...chain,
    logsOf: (filter) => {
      lookBacks.push(filter)
      return chain.logsOf(filter)
    },
    readBlocks: async (from, to) => {
      if (failures > 0 && failures-- > 0) throw new Error('a step that fails')
      return chain.readBlocks(from, to)
    },
  })
  const indexer = await start({ wrap })
  await indexer.caughtUp(scene.head())
  const once = lookBacks.length
  for (const depth of [1, 5, 12]) {
    scene.reorg(depth, depth + 2)
    await indexer.follows(scene.head())
  }
  failures = 2
  scene.mine(1)
  await indexer.warns(/step failed/)
  await indexer.follows(scene.head())
  expect(lookBacks).toHaveLength(once)
  await indexer.stop()
  const again = await start({ wrap })
  scene.mine(1)
  await again.follows(scene.head())
  // Once up to the final block, and once above it by its branch.
  const twice = lookBacks.length
  expect(twice).toBeGreaterThan(once + 1)
  scene.reorg(12, 14)
  await again.follows(scene.head())
  expect(lookBacks).toHaveLength(twice)
})
