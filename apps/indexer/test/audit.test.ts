import { setTimeout as delay } from 'node:timers/promises'
import type { Address, BlockRange, PoolAddress } from '@dexfeed/dex'
import type { InvalidatedPool, LiveCommit } from '@dexfeed/store'
import { testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, test } from 'vitest'
import { AuditNotes, Auditor } from '../src/verify/audit-final.ts'
import type { CheckedPart } from '../src/verify/range-checker.ts'
import { quiet } from './scene/made-values.ts'
import { openStore } from './scene/open-store.ts'
import { scriptedScene } from './scene/scripted-scene.ts'

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
  // Later rows may have been priced by the wrong ones, so they are read again, too.
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
})

// The pairs' fee is unknown, so their state is not kept.
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
})

//   .. - 40 - 41 - .. - 70 - .. - 100
//             Mint and Burn are left     final: read again, and the pools
//             out by the only node       are read from the chain again
test('liquidity that the only node left out at the head is found, and the ticks are right in the end', async () => {
  const scene = await scriptedScene('eth', 40)
  const databaseUrl = await scene.indexed()
  // A random sample of receipts may reveal the false block, which sets the node aside.
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
})

//   .. - 40 - .. - 80 - restart - .. - 140
//             liquidity events            final: read again, without the noted events
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
})

interface AuditScene {
  /** The last audited block, or null if there is none. */
  done?: number | null
  final: number
  covered?: BlockRange[]
  notes?: AuditNotes
  /** Returns how the comparison of a range differs from the defaults. */
  check: (range: BlockRange) => Partial<CheckedPart>[]
}

/** Opens an auditor without a database, and records what it does. */
function openAuditor({
  done = 100,
  final,
  covered = [{ from: 1, to: final }],
  notes = new AuditNotes(),
  check,
}: AuditScene) {
  const seen = { done, final, checked: [] as string[], invalidated: [] as InvalidatedPool[], errors: [] as string[] }
  const auditor = new Auditor({
    store: {
      networkRow: async () => ({ finalNumber: seen.final }),
      oldRanges: async () => [],
      coveredRanges: async () => covered,
      audited: async () => seen.done,
      setAudited: async (number) => {
        seen.done = number
      },
    },
    checker: {
      async *check({ from, to }) {
        seen.checked.push(`${from}-${to}`)
        const equal: CheckedPart = { from, to, trades: 1, differences: [], outcome: 'equal', pools: [], events: [] }
        for (const part of check({ from, to })) yield { ...equal, ...part }
      },
    },
    notes,
    follower: { invalidate: async (pools) => void seen.invalidated.push(...pools) },
    log: { ...quiet, error: (_, message) => seen.errors.push(message) },
    onAudit: () => undefined,
  })
  return { seen, step: () => auditor.step(new AbortController().signal) }
}

test('the audit continues where it stopped, in small steps, over covered blocks that are not proven', async () => {
  const notes = new AuditNotes()
  const rows = { fromTime: 0, toTime: 0, trades: [], pools: [], tokens: [] }
  const live = { isProven: true, rollbackTo: null } as LiveCommit
  notes.note({ ...rows, from: 122, to: 124, live }, [])
  notes.note({ ...rows, from: 126, to: 133, live }, [])
  const covered = [
    { from: 90, to: 105 },
    { from: 120, to: 300 },
  ]
  const { seen, step } = openAuditor({ done: null, final: 100, covered, notes, check: () => [{}] })
  expect(await step()).toBe(false)
  expect(seen.done).toBe(100)
  seen.final = 140
  const goesOn: boolean[] = []
  for (let count = 0; count < 7; count++) goesOn.push(await step())
  expect(goesOn).toEqual([true, true, true, false, false, false, false])
  expect(seen.checked).toEqual(['101-105', '120-121', '125-125', '134-140'])
  expect(seen.done).toBe(140)
})

test('pools with wrong rows are read from the chain again, others are not', async () => {
  const [wrong, right]: Address[] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`]
  const columns = [{ name: 'amount', stored: '1', chain: '2' }]
  const differences = [{ kind: 'coverage', blockNumber: 101, columns } as const]
  const { seen, step } = openAuditor({
    final: 102,
    check: () => [
      { from: 101, to: 101, differences, outcome: 'repaired', pools: [wrong ?? '0x'] },
      { from: 102, to: 102, pools: [right ?? '0x'] },
    ],
  })
  await step()
  expect(seen.invalidated).toEqual([{ pool: wrong, blockNumber: 101 }])
})

test('blocks on which the nodes keep contradicting each other do not hold up the audit forever', async () => {
  const { seen, step } = openAuditor({ final: 101, check: () => [{ outcome: 'unsettled' }] })
  for (let attempt = 1; attempt < 5; attempt++) await expect(step()).rejects.toThrow('contradict')
  expect(seen.done).toBe(100)
  await step()
  expect(seen.done).toBe(101)
  expect(seen.errors).toHaveLength(1)
})

//   101 - .. - 116 | 117 - .. - 132 | 133 - .. - 148
//   compared with wrong prices      ^ proves them wrong: back to 101, once
test('blocks that were compared by false reference prices are compared again, once', async () => {
  const check = ({ from }: BlockRange) => [from === 117 ? { recheckFrom: 101 } : {}]
  const { seen, step } = openAuditor({ final: 148, check })
  while (await step());
  expect(seen.checked).toEqual(['101-116', '117-132', '101-116', '117-132', '133-148'])
  expect(seen.done).toBe(148)
})
