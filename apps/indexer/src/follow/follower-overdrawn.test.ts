import { queryOnce } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, test, vi } from 'vitest'
import { scriptedScene } from '../../test/scene/scripted-scene.ts'

/** The next block is the first one that removes liquidity. */
const BLOCKS = 334

//  .. - 334                      - 335 .. 354
//       the stored ticks           some liquidity is removed: refused,
//       lack liquidity             and the pools are read again
test('liquidity that is taken from where none is known does not stop the network', async () => {
  const scene = await scriptedScene('eth', BLOCKS)
  const databaseUrl = await scene.indexed()
  await queryOnce(databaseUrl, 'UPDATE pool_tick SET gross = 1, net = sign(net) WHERE gross > 0')
  const onInvalidate = vi.fn()
  const second = await scene.index(databaseUrl, { onInvalidate })
  scene.chain.mine(20)
  await second.follows(scene.head())
  await second.warns(/pool states lack liquidity/)
  expect(onInvalidate).toHaveBeenCalled()
  await expect.poll(() => queryOnce(databaseUrl, 'SELECT FROM invalidated_pool WHERE trusted_from IS NULL')).toEqual([])
  await second.stop()
  // Comparing states finds pools that lost less than the known liquidity.
  const third = await scene.index(databaseUrl, { onStates: () => undefined })
  const ticks = async () => {
    scene.chain.mine(1)
    await third.follows(scene.head())
    return (await dumpTables(databaseUrl)).pool_tick
  }
  await expect.poll(async () => (await ticks())?.every((row) => !/,1,-?1\)$/.test(row))).toBe(true)
  await third.caughtUp(scene.head())
  const [found, right] = [await dumpTables(databaseUrl), await scene.cleanIndex()]
  for (const table of ['pool_state', 'pool_tick']) expect(found[table]).toEqual(right[table])
  await third.stop()
})

//  .. - 334                      - 335 .. 354
//       the stored states          some liquidity is removed before a swap
//       have none in range         shows the real amount
test('liquidity that is taken out of a range that is stored as empty does not stop the network', async () => {
  const scene = await scriptedScene('eth', BLOCKS)
  const databaseUrl = await scene.indexed()
  await queryOnce(databaseUrl, 'UPDATE pool_state SET liquidity = 0 WHERE liquidity IS NOT NULL')
  const onInvalidate = vi.fn()
  const indexer = await scene.index(databaseUrl, { onInvalidate })
  scene.chain.mine(20)
  await indexer.caughtUp(scene.head())
  await indexer.stop()
  expect(onInvalidate).toHaveBeenCalled()
})
