import { setTimeout as delay } from 'node:timers/promises'
import type { Address, PoolAddress } from '@dexfeed/dex'
import type { InvalidatedPool, LiveCommit } from '@dexfeed/store'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { Auditor } from '../src/verify/audit-final.ts'
import { ProvenBlocks } from '../src/verify/proven-blocks.ts'
import type { CheckedPart } from '../src/verify/range-checker.ts'
import { quiet } from './scene/made-values.ts'
import { openStore } from './scene/open-store.ts'
import { scriptedScene } from './scene/scripted-scene.ts'
import { dumpTables } from './scene/table-dump.ts'

//   .. - 40 - 41 - .. - 48 - .. - 78 - .. - 108
//             some logs are left      final: read again
//             out at the head         and repaired
test('a log that the node left out at the head is found and repaired once its block is final', async () => {
  const scene = await scriptedScene('eth', 40)
  const databaseUrl = await scene.indexed()
  const { store } = await openStore(databaseUrl)
  const parts: CheckedPart[] = []
  const running = await scene.index(databaseUrl, { onAudit: (part) => parts.push(part) })
  const audited = async () => {
    for (;;) {
      const [row, number] = [await store.networkRow(), await store.audited()]
      if (row?.finalNumber != null && number === row.finalNumber) return
      await delay(20)
    }
  }
  const go = async (blocks: number) => {
    scene.chain.mine(blocks)
    await running.caughtUp(scene.head())
  }
  await running.caughtUp(scene.head())
  scene.fault('one-log-missing')
  await go(8)
  scene.fault(null)
  const wrong = (await dumpTables(databaseUrl)).swap
  await audited()
  expect(parts.filter(({ outcome }) => outcome !== 'equal')).toEqual([])
  // Later rows may be priced by the false ones: they are read again, too.
  await go(30)
  await audited()
  await go(30)
  await audited()
  expect(parts.some(({ outcome }) => outcome === 'repaired')).toBe(true)
  await running.stop()
  const right = await scene.cleanIndex()
  expect(right.swap).not.toEqual(expect.arrayContaining(wrong ?? []))
  const repaired = await dumpTables(databaseUrl)
  expect(repaired).toEqual(right)
}, 120_000)

// The fee of the pairs is unknown, so their state is not kept.
test('a repair does not invalidate a pool that would never be read again', async () => {
  const scene = await scriptedScene('eth', 40)
  const databaseUrl = await testDatabase()
  const { store } = await openStore(databaseUrl)
  const dexes = scene.deployment.dexes.map((dex) => (dex.kind === 'uniswap-v2' ? { ...dex, feeBps: null } : dex))
  const repaired = new Set<PoolAddress>()
  const onAudit = ({ outcome, pools }: CheckedPart) => {
    if (outcome === 'repaired') for (const pool of pools) repaired.add(pool)
  }
  const running = await scene.index(databaseUrl, { deployment: { ...scene.deployment, dexes }, onAudit })
  await running.caughtUp(scene.head())
  scene.fault('one-log-missing')
  scene.chain.mine(8)
  await running.caughtUp(scene.head())
  scene.fault(null)
  scene.chain.mine(60)
  const repairedPairs = async () =>
    (await store.loadPools()).filter(({ address, tickSpacing }) => tickSpacing === null && repaired.has(address)).length
  await expect.poll(repairedPairs).toBeGreaterThan(0)
  await expect.poll(() => store.invalidatedPools()).toEqual([])
  await running.stop()
}, 120_000)

//   .. - 40 - 41 - .. - 70 - .. - 100
//             Mint and Burn are left     final: read again, and the pools
//             out by the only node       are read from the chain again
test('liquidity that the only node left out at the head is found, and the ticks are right in the end', async () => {
  const scene = await scriptedScene('eth', 40)
  const databaseUrl = await scene.indexed()
  // A receipt in a random sample may show the false block, which sets the node aside.
  const running = await scene.index(databaseUrl, { onAudit: () => undefined, haste: 100 })
  await running.caughtUp(scene.head())
  scene.fault('liquidity-left-out')
  scene.chain.mine(30)
  await running.follows(scene.head())
  scene.fault(null)
  const ticks = async () => (await dumpTables(databaseUrl)).pool_tick
  scene.chain.mine(30)
  await running.caughtUp(scene.head())
  const right = (await scene.cleanIndex()).pool_tick
  await expect.poll(ticks, { interval: 250 }).toEqual(right)
  await running.stop()
}, 120_000)

//   .. - 40 - .. - 80 - restart - .. - 140
//             liquidity events            final: read again, without the ledger of events
test('a restart does not invalidate pools whose liquidity events are no longer remembered', async () => {
  const scene = await scriptedScene('eth', 40)
  const databaseUrl = await scene.indexed()
  const audited: CheckedPart[] = []
  const invalidated: number[] = []
  const options = {
    onAudit: (part: CheckedPart) => void audited.push(part),
    onInvalidate: (pools: number) => void invalidated.push(pools),
  }
  const first = await scene.index(databaseUrl, options)
  await first.caughtUp(scene.head())
  scene.chain.mine(40)
  await first.caughtUp(scene.head())
  await first.stop()
  audited.length = 0
  const second = await scene.index(databaseUrl, options)
  scene.chain.mine(60)
  await second.caughtUp(scene.head())
  const liquidityOf = ({ events }: CheckedPart) =>
    events.filter((block) => block.blockNumber <= 80 && block.events.some(({ type }) => type === 'liquidity'))
  await expect.poll(() => audited.flatMap(liquidityOf).length).toBeGreaterThan(0)
  await second.stop()
  expect(invalidated).toEqual([])
}, 120_000)

test('the audit continues where it stopped, in small steps, over covered blocks that are not proven', async () => {
  let done: number | null = null
  const proven = new ProvenBlocks()
  const rows = { fromTime: 0, toTime: 0, trades: [], pools: [], tokens: [] }
  const live = { isProven: true, rollbackTo: null } as LiveCommit
  proven.note({ ...rows, from: 122, to: 124, live })
  proven.note({ ...rows, from: 126, to: 133, live })
  const steps: string[] = []
  let final = 100
  const auditor = new Auditor({
    store: {
      networkRow: async () => ({ finalNumber: final }) as never,
      oldRanges: async () => [],
      coveredRanges: async () => [
        { from: 90, to: 105, fromTime: 0, toTime: 0 },
        { from: 120, to: 300, fromTime: 0, toTime: 0 },
      ],
      audited: async () => done,
      setAudited: async (number) => {
        done = number
      },
    },
    checker: {
      async *check({ from, to }) {
        steps.push(`${from}-${to}`)
        yield { from, to, trades: 0, differences: [], outcome: 'equal', pools: [], events: [] }
      },
    },
    proven,
    log: quiet,
    onAudit: () => undefined,
    invalidate: async () => undefined,
    findDiffering: () => [],
  })
  const signal = new AbortController().signal
  expect(await auditor.step(signal)).toBe(false)
  expect(done).toBe(100)
  final = 140
  const goesOn: boolean[] = []
  for (let step = 0; step < 7; step++) goesOn.push(await auditor.step(signal))
  expect(goesOn).toEqual([true, true, true, false, false, false, false])
  expect(steps).toEqual(['101-105', '120-121', '125-125', '134-140'])
  expect(done).toBe(140)
})

test('pools with wrong rows are read from the chain again, others are not', async () => {
  const invalidated: InvalidatedPool[] = []
  const [wrong, right]: Address[] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`]
  const auditor = new Auditor({
    store: {
      networkRow: async () => ({ finalNumber: 102 }) as never,
      oldRanges: async () => [],
      coveredRanges: async () => [{ from: 1, to: 102, fromTime: 0, toTime: 0 }],
      audited: async () => 100,
      setAudited: async () => undefined,
    },
    checker: {
      async *check() {
        const columns = [{ name: 'amount', stored: '1', chain: '2' }]
        const difference = { kind: 'coverage', blockNumber: 101, columns } as const
        yield {
          from: 101,
          to: 101,
          trades: 1,
          differences: [difference],
          outcome: 'repaired',
          pools: [wrong ?? '0x'],
          events: [],
        }
        yield { from: 102, to: 102, trades: 1, differences: [], outcome: 'equal', pools: [right ?? '0x'], events: [] }
      },
    },
    proven: new ProvenBlocks(),
    log: quiet,
    onAudit: () => undefined,
    invalidate: async (pools) => void invalidated.push(...pools),
    findDiffering: () => [],
  })
  await auditor.step(new AbortController().signal)
  expect(invalidated).toEqual([{ pool: wrong, blockNumber: 101 }])
})

test('blocks on which the nodes keep contradicting each other do not hold up the audit forever', async () => {
  let done = 100
  const errors: string[] = []
  const auditor = new Auditor({
    store: {
      networkRow: async () => ({ finalNumber: 101 }) as never,
      oldRanges: async () => [],
      coveredRanges: async () => [{ from: 1, to: 101, fromTime: 0, toTime: 0 }],
      audited: async () => done,
      setAudited: async (number) => {
        done = number
      },
    },
    checker: {
      async *check({ from, to }) {
        yield { from, to, trades: 1, differences: [], outcome: 'unsettled', pools: [], events: [] }
      },
    },
    proven: new ProvenBlocks(),
    log: { ...quiet, error: (_, message) => errors.push(message) },
    onAudit: () => undefined,
    invalidate: async () => undefined,
    findDiffering: () => [],
  })
  const signal = new AbortController().signal
  for (let attempt = 1; attempt < 5; attempt++) await expect(auditor.step(signal)).rejects.toThrow('contradict')
  expect(done).toBe(100)
  await auditor.step(signal)
  expect(done).toBe(101)
  expect(errors).toHaveLength(1)
})

//   101 - .. - 116 | 117 - .. - 132 | 133 - .. - 148
//   compared by false prices        ^ proves them wrong: back to 101, once
test('blocks that were compared by false reference prices are compared again, once', async () => {
  let done = 100
  const steps: string[] = []
  const auditor = new Auditor({
    store: {
      networkRow: async () => ({ finalNumber: 148 }) as never,
      oldRanges: async () => [],
      coveredRanges: async () => [{ from: 1, to: 148, fromTime: 0, toTime: 0 }],
      audited: async () => done,
      setAudited: async (number) => {
        done = number
      },
    },
    checker: {
      async *check({ from, to }) {
        steps.push(`${from}-${to}`)
        const recheckFrom = from === 117 ? 101 : undefined
        yield { from, to, trades: 1, differences: [], outcome: 'equal', pools: [], events: [], recheckFrom }
      },
    },
    proven: new ProvenBlocks(),
    log: quiet,
    onAudit: () => undefined,
    invalidate: async () => undefined,
    findDiffering: () => [],
  })
  while (await auditor.step(new AbortController().signal));
  expect(steps).toEqual(['101-116', '117-132', '101-116', '117-132', '133-148'])
  expect(done).toBe(148)
})
