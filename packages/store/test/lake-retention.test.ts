import { dayOf, missingRanges } from '@dexfeed/dex'
import { openLakeStore } from '@dexfeed/store'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { emptyTables } from './rows/empty-tables.ts'
import { filling, following, headers, MIDNIGHT, trade } from './rows/sample.ts'
import { database, FOLLOWED, type Followed, startFollowed, useDatabase } from './rows/scene.ts'

const DAY_S = 86_400
const DAY = dayOf(MIDNIGHT)
/** Day n begins with block 10 n. Days 0 to 4 can be complete. */
const BLOCKS = 10
const LAST = 54
const timeOf = (block: number) => MIDNIGHT + DAY_S * Math.floor(block / BLOCKS) + (DAY_S / BLOCKS) * (block % BLOCKS)
const PART = 9

useDatabase(6)

type Action =
  | { fill: Followed; part: number }
  | { write: Followed; which: number }
  | { change: Followed; block: number }
  | { retain: number }

const network = fc.constantFrom(...FOLLOWED)
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ fill: network, part: fc.nat(LAST / PART) }) },
  { weight: 4, arbitrary: fc.record({ write: network, which: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ change: network, block: fc.nat(LAST) }) },
  { weight: 2, arbitrary: fc.record({ retain: fc.integer({ min: 0, max: 5 }) }) },
)
const world = fc.record({
  starts: fc.record({ bsc: fc.nat(15), polygon: fc.nat(15) }),
  /** Blocks with a trade. */
  traded: fc.record({
    bsc: fc.uniqueArray(fc.nat(LAST), { maxLength: 8 }),
    polygon: fc.uniqueArray(fc.nat(LAST), { maxLength: 8 }),
  }),
  actions: fc.array(action, { minLength: 10, maxLength: 25 }),
})

// A plain model says which days can be complete: each block from the last one before the day to the first one after it
// is covered, or is not before the start.
it('retention drops a day only once it is in the lake, and keeps none that cannot be complete', async () => {
  await fc.assert(
    fc.asyncProperty(world, async ({ starts, traded, actions }) => {
      await emptyTables(database.pool)
      const { stores, leases } = await startFollowed(database)
      const lake = openLakeStore(database)
      const covered = { bsc: [] as { from: number; to: number }[], polygon: [] as { from: number; to: number }[] }
      const start = { ...starts }
      const written = { bsc: new Set<number>(), polygon: new Set<number>() }
      let keptFrom = Number.NEGATIVE_INFINITY
      for (const name of FOLLOWED) {
        await database.pool.query(
          `UPDATE network SET start_block = $1, start_time = to_timestamp($2) WHERE name = $3`,
          [start[name], timeOf(start[name]), name],
        )
        const blocks = headers(LAST + 1, LAST + 3, 0, timeOf)
        await stores[name].commitHead(following(leases[name].epoch, blocks, [], { finalNumber: LAST + 1 }))
        covered[name].push({ from: LAST + 1, to: LAST + 3 })
      }
      const canComplete = (name: Followed, day: number) => {
        const around = { from: Math.max(0, BLOCKS * day - 1), to: BLOCKS * (day + 1) }
        return missingRanges(around, covered[name]).every(({ from }) => from >= start[name])
      }
      const fill = async (name: Followed, part: number) => {
        const of = { from: Math.max(part * PART, start[name]), to: Math.min(part * PART + PART - 1, LAST) }
        for (const { from, to } of missingRanges(of, covered[name])) {
          const trades = traded[name].filter((block) => from <= block && block <= to)
          const rows = trades.map((block) => trade(block, timeOf(block)))
          await stores[name].commitHistory(filling(from, to, rows, { fromTime: timeOf(from), toTime: timeOf(to) }))
          covered[name].push({ from, to })
          covered[name].sort((a, b) => a.from - b.from)
        }
      }
      const write = async (name: Followed, which: number) => {
        const due = await lake.dueDays(name)
        const day = due[which % due.length]
        if (day === undefined) return
        expect(await lake.confirmDay(name, day, await lake.beginDay(name, day))).toBe(true)
        written[name].add(day - DAY)
      }
      const lacking = (before: number) =>
        FOLLOWED.flatMap((name) =>
          [...new Set(traded[name].map((block) => Math.floor(block / BLOCKS)))].filter((day) => {
            const isStored = traded[name].some(
              (block) =>
                Math.floor(block / BLOCKS) === day &&
                missingRanges({ from: block, to: block }, covered[name]).length === 0,
            )
            return day >= keptFrom && day < before && isStored && !written[name].has(day) && canComplete(name, day)
          }),
        )
      const retain = async (wanted: number) => {
        const [first] = lacking(Number.POSITIVE_INFINITY).sort((a, b) => a - b)
        const unwritten = await stores.bsc.firstUnwrittenDay()
        expect(unwritten).toBe(first === undefined ? null : DAY + first)
        const day = Math.min(wanted, first ?? wanted)
        for (const name of FOLLOWED) {
          start[name] = Math.max(start[name], BLOCKS * day)
          await stores[name].raiseStart({ number: BLOCKS * day, timestamp: timeOf(BLOCKS * day) })
        }
        await stores.bsc.dropDaysBefore(DAY + day)
        keptFrom = Math.max(keptFrom, day)
      }
      for (const each of actions) {
        if ('fill' in each) await fill(each.fill, each.part)
        if ('write' in each) await write(each.write, each.which)
        if ('retain' in each) await retain(each.retain)
        if ('change' in each) {
          const range = { from: each.block, to: each.block }
          if (missingRanges(range, covered[each.change]).length > 0) continue
          const rows = traded[each.change].includes(each.block) ? [trade(each.block, timeOf(each.block))] : []
          const nothing = { pools: [], tokens: [], times: new Map<number, number>() }
          await stores[each.change].replaceRange({ ...range, trades: rows, ...nothing })
          for (const { day, isChanged } of await lake.lakeDays(each.change)) {
            if (isChanged) written[each.change].delete(day - DAY)
          }
          expect(written[each.change].has(Math.floor(each.block / BLOCKS))).toBe(false)
        }
      }
      // Once all is filled and written, nothing is held back.
      for (const name of FOLLOWED) {
        for (let part = 0; part <= LAST / PART; part++) await fill(name, part)
        while ((await lake.dueDays(name)).length > 0) await write(name, 0)
      }
      expect((await stores.bsc.firstUnwrittenDay()) ?? DAY + 5).toBeGreaterThanOrEqual(DAY + 5)
      for (const name of FOLLOWED) await leases[name].release()
    }),
    { numRuns: 12 * inject('scale'), endOnFailure: true },
  )
}, 300_000)
