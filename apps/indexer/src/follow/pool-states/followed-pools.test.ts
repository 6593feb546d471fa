import type { Chain } from '@dexfeed/chain'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, test, vi } from 'vitest'
import { type RunningIndexer, runIndexer } from '../../../test/scene/run-indexer.ts'
import { type ScriptedWorld, scriptedWorld } from '../../../test/scene/scripted-world.ts'
import { dumpTables } from '../../../test/scene/table-dump.ts'

const NETWORK = 'eth'
/** `getReserves()` and `slot0()`: only snapshots ask for them. */
const STATE_SELECTORS = ['0x0902f1ac', '0x3850c7bd']

/** A node whose answers about pool states come only once they are released. */
class HeldNode {
  asked = 0
  #release: () => void = () => undefined
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve
  })

  release(): void {
    this.#release()
  }

  readonly wrap = (chain: Chain): Chain => ({
    ...chain,
    callMany: async (calls, at) => {
      const answers = await chain.callMany(calls, at)
      if (!calls.some(({ data }) => STATE_SELECTORS.includes(data))) return answers
      this.asked++
      await this.#released
      return answers
    },
  })
}

/** A follower whose first snapshot is under way: its pools are read, and the answers not there yet. */
async function whileReading() {
  const world = await scriptedWorld({ network: NETWORK, seed: 11, blocks: 60 })
  const databaseUrl = await testDatabase()
  const node = new HeldNode()
  const scene = { network: NETWORK, rpcUrl: world.rpcUrl, deployment: world.chain.market.deployment } as const
  const indexer = await runIndexer({ ...scene, databaseUrl, wrap: node.wrap })
  await indexer.follows(world.head())
  await vi.waitFor(() => expect(node.asked).toBeGreaterThan(0), 10_000)
  const endsAsOneThatReadsNow = async () => {
    await indexer.caughtUp(world.head())
    const other = await testDatabase()
    const undisturbed = await runIndexer({ ...scene, databaseUrl: other })
    await undisturbed.caughtUp(world.head())
    const [found, expected] = [await dumpTables(databaseUrl), await dumpTables(other)]
    expect(expected.pool_tick?.length).toBeGreaterThan(0)
    for (const table of ['pool_state', 'pool_tick']) expect(found[table]).toEqual(expected[table])
  }
  return { world, node, indexer, endsAsOneThatReadsNow }
}

async function mine(world: ScriptedWorld, indexer: RunningIndexer, blocks: number) {
  for (let i = 0; i < blocks; i++) {
    world.mine(1)
    await indexer.follows(world.head())
  }
}

// read at 60:      60 -> 61 -> ... -> 80
//                   `- answered here --^   committed at 80, moved by what came since
test('the head goes on while pools are read, and moves on what was read', async () => {
  const { world, node, indexer, endsAsOneThatReadsNow } = await whileReading()
  await mine(world, indexer, 20)
  node.release()
  await endsAsOneThatReadsNow()
}, 60_000)

// read at 65:  60 -> ... -> 65
//                `-> 61' -> ... -> 70'    answered here: thrown away, and read again
test('what was read of a branch that is orphaned is thrown away', async () => {
  const { world, node, indexer, endsAsOneThatReadsNow } = await whileReading()
  world.reorg(5, 10)
  await indexer.follows(world.head())
  node.release()
  await endsAsOneThatReadsNow()
}, 60_000)
