import { setTimeout as delay } from 'node:timers/promises'
import { type Fault, scriptedChain, scriptedMarket } from '@dexfeed/lab'
import { type IndexerStore, openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, inject, test } from 'vitest'
import type { RunOptions } from '../scene/run-indexer.ts'
import { type SceneOptions, scriptedScene } from '../scene/scripted-scene.ts'

const NETWORK = 'eth'
const FINALITY_DEPTH = 24
/** At this speed, pauses and waits for endpoints take less than a second. */
const HASTE = 100
/** With shorter waits, an honest endpoint looks absent on a busy machine, and the other one is trusted. */
const HASTE_BESIDE_A_LIAR = 20
const IS_LONG = inject('scale') > 1

/** Makes a chain, and an indexer that reads from its nodes. */
async function openScene(blocks: number, options: SceneOptions = {}) {
  const scene = await scriptedScene(NETWORK, blocks, { finalityDepth: FINALITY_DEPTH, ...options })
  const databaseUrl = await testDatabase()
  const database = await openDatabase(databaseUrl, { applicationName: 'test-watch' })
  closeAfter(() => database.close())
  const start = (haste = 1, more: Pick<RunOptions, 'onAudit' | 'onStates'> = {}) =>
    scene.index(databaseUrl, { haste, ...more })
  return { scene, store: openIndexerStore(database, NETWORK), start, databaseUrl }
}

/** Returns why the network is degraded, once it is. */
async function degradedReason(store: Pick<IndexerStore, 'networkRow'>): Promise<string> {
  for (;;) {
    const reason = (await store.networkRow())?.degraded ?? null
    if (reason !== null) return reason
    await delay(20)
  }
}

//   .. - 20 - 21 - .. - 38 - .. - 62     indexed, final up to 38
//          \
//           21'- .. - 60'                the node's chain for a moment
test('a node that serves a fork below the final block for a moment does not stop the network', async () => {
  const { scene, store, start } = await openScene(60)
  scene.reorg(40, 42)
  const indexer = await start()
  await indexer.caughtUp(scene.head())
  scene.fault('other-fork')
  expect(await degradedReason(store)).toMatch(/below block 38 that was taken as final; checking again/)
  scene.fault(null)
  scene.mine(3)
  await indexer.caughtUp(scene.head())
})

//   0 - .. - 38 - .. - 62      .. - 5062     the node's head for a moment, while it reports no final block
test('an invented head raises the final block only over blocks that were read, and is forgotten', async () => {
  let isAhead = false
  const isLatest = (subjects: readonly string[]) => subjects.includes('latest') && !subjects.includes('finalized')
  const at = (_: number, subjects: readonly string[]) =>
    isAhead && isLatest(subjects) ? 'head-ahead' : 'finalized-unknown'
  const { scene, store, start } = await openScene(60, { schedule: { at } })
  const finalNumber = async () => (await store.networkRow())?.finalNumber
  const indexer = await start()
  await indexer.caughtUp(scene.head())
  isAhead = true
  scene.mine(2)
  await degradedReason(store)
  expect(await finalNumber()).toBeLessThanOrEqual(scene.head().number - FINALITY_DEPTH)
  isAhead = false
  scene.mine(3)
  await indexer.caughtUp(scene.head())
  expect(await finalNumber()).toBe(scene.head().number - FINALITY_DEPTH)
  // As deep as possible, which shows that no block above counted as final.
  scene.reorg(FINALITY_DEPTH - 1, FINALITY_DEPTH + 1)
  await indexer.caughtUp(scene.head())
})

//   0 - .. - 60 - .. - 80      .. - 5080     the head that the preferred of two nodes reports all the time
test('a head that the preferred node keeps inventing holds up nothing beside an honest node', async () => {
  let isAhead = true
  const isLatest = (subjects: readonly string[]) => subjects.includes('latest') && !subjects.includes('finalized')
  const isLie = (endpoint: number, subjects: readonly string[]) => isAhead && endpoint === 0 && isLatest(subjects)
  const at = (endpoint: number, subjects: readonly string[]) =>
    isLie(endpoint, subjects) ? 'head-ahead' : 'finalized-unknown'
  const { scene, store, start } = await openScene(60, { schedule: { at }, endpoints: 2 })
  const finalBehind = async () => scene.head().number - ((await store.networkRow())?.finalNumber ?? 0)
  // The liar is set aside for a minute, which passes in less than a second here, so it returns again and again.
  const indexer = await start(HASTE)
  for (let i = 0; i < (IS_LONG ? 20 : 6); i++) {
    await indexer.caughtUp(scene.head())
    expect(await finalBehind()).toBeGreaterThanOrEqual(FINALITY_DEPTH)
    scene.mine(1)
    await delay(50)
  }
  await indexer.warns(new RegExp(`reports a head that it does not have: set aside.*${scene.rpcUrl.split(',')[0]}`))
  isAhead = false
  scene.mine(1)
  await indexer.caughtUp(scene.head())
  expect(await finalBehind()).toBe(FINALITY_DEPTH)
})

//   0 - .. - 40 - .. - 52    all bits of every bloom are set: only another node shows what the first one leaves out
test.each<Fault>(['logs-left-out', ...(IS_LONG ? (['liquidity-left-out', 'logs-empty'] as const) : [])])(
  'full blooms, and a node with %s beside an honest one, end with the right rows and ticks',
  async (lie) => {
    let fault: Fault | null = lie
    const schedule = { at: (endpoint: number) => (endpoint === 0 ? fault : null) }
    const options = { blooms: 'full', endpoints: 2, schedule } as const
    const { scene, start, store, databaseUrl } = await openScene(40, options)
    const indexer = await start(HASTE_BESIDE_A_LIAR, { onAudit: () => undefined })
    await indexer.caughtUp(scene.head())
    for (let i = 0; i < (IS_LONG ? 10 : 4); i++) {
      scene.mine(3)
      await indexer.caughtUp(scene.head())
    }
    await indexer.warns(/set aside.*shows a false block/s)
    await expect.poll(async () => (await store.networkRow())?.unprovenSince).toBeTypeOf('number')
    // At the head, the wait for an endpoint is short. Blocks trusted meanwhile are read again once they are final.
    fault = null
    scene.mine(2 * FINALITY_DEPTH)
    await indexer.caughtUp(scene.head())
    const clean = await scene.cleanIndex()
    await expect.poll(() => dumpTables(databaseUrl), { interval: 250, timeout: 60_000 }).toEqual(clean)
    await indexer.stop()
  },
)

//   0 - .. - 30 - 40 - .. - 60 - .. - 108
//                a pool is created, and denied at 60: its blocks are read again when they are final
test('a pool that the only node denied for a while gets all its rows without a restart', async () => {
  const { scene, start, databaseUrl } = await openScene(30)
  const indexer = await start(HASTE)
  await indexer.caughtUp(scene.head())
  scene.fault('calls-denied')
  scene.mine(30)
  await indexer.follows(scene.head())
  scene.fault(null)
  for (let i = 0; i < 6; i++) {
    scene.mine(FINALITY_DEPTH / 3)
    await indexer.caughtUp(scene.head())
  }
  const { swap } = await scene.cleanIndex()
  await expect.poll(async () => (await dumpTables(databaseUrl)).swap, { interval: 250 }).toEqual(swap)
  await indexer.stop()
})

//   0 - .. - 30 - 40 - .. - 60      pools are created and denied, then the process ends
test('the rows of a pool are not lost when the process that met its denial ends', async () => {
  const { scene, start, databaseUrl } = await openScene(30)
  const first = await start()
  await first.caughtUp(scene.head())
  scene.fault('calls-denied')
  scene.mine(30)
  await first.follows(scene.head())
  await first.stop()
  scene.fault(null)
  scene.mine(2 * FINALITY_DEPTH)
  // Pauses between comparisons of states are short, too.
  const second = await start(HASTE, { onStates: () => undefined })
  await second.caughtUp(scene.head())
  const { swap } = await scene.cleanIndex()
  await expect.poll(async () => (await dumpTables(databaseUrl)).swap, { interval: 250 }).toEqual(swap)
  await second.stop()
})

//   0 - .. - 60 - .. - 70           one node's chain
//   0'- .. - 60'- .. - 100'         a proxy's chain from then on, over the open connections
test('another chain that appears on an open connection is neither read nor trusted as a reorg', async () => {
  let fault: Fault | null = null
  const market = scriptedMarket(NETWORK, FINALITY_DEPTH)
  const wrongChain = scriptedChain({ market, chainId: 424_242, seed: 9, startTime: 1_700_000_000, blockTimeS: 12 })
  wrongChain.mine(100)
  const schedule = { at: (endpoint: number) => (endpoint === 0 ? fault : null) }
  const { scene, start } = await openScene(60, { endpoints: 2, wrongChain, schedule })
  const indexer = await start(HASTE)
  await indexer.caughtUp(scene.head())
  fault = 'wrong-chain-stays'
  for (let i = 0; i < 5; i++) {
    scene.mine(2)
    await indexer.caughtUp(scene.head())
  }
  await indexer.warns(/set aside.*serves chain 424242/s)
})
