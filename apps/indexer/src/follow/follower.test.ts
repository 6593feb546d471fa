import type { Chain } from '@dexfeed/chain'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, test, vi } from 'vitest'
import { type RunOptions, runIndexer } from '../../test/scene/run-indexer.ts'
import { type ScriptedWorld, scriptedWorld } from '../../test/scene/scripted-world.ts'

const NETWORK = 'eth'
const LONG_MS = 60_000

/** Makes a chain of 100 blocks with its indexer, and records the node's requests by method or block tag. */
async function scene() {
  const calls: string[] = []
  const at = (_: number, subjects: readonly string[]) => {
    calls.push(...subjects)
    return null
  }
  const world = await scriptedWorld({ network: NETWORK, seed: 3, blocks: 100, schedule: { at } })
  const databaseUrl = await testDatabase()
  const { deployment } = world.chain.market
  const start = (options: Partial<RunOptions> = {}) =>
    runIndexer({ databaseUrl, network: NETWORK, rpcUrl: world.rpcUrl, deployment, ...options })
  return { world, calls, start }
}

function countsOf(subjects: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const subject of subjects) counts[subject] = (counts[subject] ?? 0) + 1
  return counts
}

test('a block at the head costs itself and its logs where a socket announces it', async () => {
  const { world, calls, start } = await scene()
  // Nothing is polled during the test.
  const indexer = await start({ wsUrl: world.wsUrl, pollMs: LONG_MS, finalityMs: LONG_MS })
  await indexer.caughtUp(world.head())
  await vi.waitFor(() => {
    world.announce()
    expect(calls.filter((subject) => subject === 'newHeads').length).toBeGreaterThan(1)
  }, 30_000)
  await mineOne(world, indexer)
  await mineOne(world, indexer)
  const before = calls.length
  for (let i = 0; i < 20; i++) await mineOne(world, indexer)
  const counts = countsOf(calls.slice(before))
  // A connection that was idle for seconds, as on a busy machine, is opened again, which checks the chain id.
  const { eth_getBlockByNumber, newHeads, eth_chainId: _, eth_getTransactionReceipt: receipts, ...others } = counts
  expect(newHeads).toBe(20)
  // Of every 50 unproven blocks, one is read again with its receipts, and one for its transactions.
  expect(eth_getBlockByNumber).toBeGreaterThanOrEqual(20)
  expect(eth_getBlockByNumber).toBeLessThanOrEqual(22)
  // An empty block's logs are requested twice, and one receipt for each transaction that trades.
  const mined = world.chain.blocks.slice(-20)
  expect(receipts).toBeLessThanOrEqual(mined.reduce((sum, { transactions }) => sum + transactions.length, 0))
  for (const polled of ['latest', 'finalized', 'eth_blockNumber']) expect(others).not.toHaveProperty(polled)
  expect(
    Object.values(others).reduce((sum, count) => sum + count, 0),
    JSON.stringify(others),
  ).toBeLessThan(30)
})

async function mineOne(world: ScriptedWorld, indexer: Awaited<ReturnType<typeof runIndexer>>): Promise<void> {
  world.mine(1)
  await indexer.follows(world.head())
}

test('neither a reorg nor a step that fails reads the reference prices of a day again', async () => {
  const { world, start } = await scene()
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
  await indexer.caughtUp(world.head())
  const once = lookBacks.length
  for (const depth of [1, 5, 12]) {
    world.reorg(depth, depth + 2)
    await indexer.follows(world.head())
  }
  failures = 2
  world.mine(1)
  await indexer.warns(/step failed/)
  await indexer.follows(world.head())
  expect(lookBacks).toHaveLength(once)
  await indexer.stop()
  const again = await start({ wrap })
  world.mine(1)
  await again.follows(world.head())
  // Once up to the final block, and once above it by its branch.
  const twice = lookBacks.length
  expect(twice).toBeGreaterThan(once + 1)
  world.reorg(12, 14)
  await again.follows(world.head())
  expect(lookBacks).toHaveLength(twice)
})
