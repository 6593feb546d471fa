import type { BlockHeader, PoolCreation, PoolStateAt, PricedTrade, TickLiquidityAt } from '@dexfeed/dex'
import { type Database, type IndexerStore, ReorgTooDeep, type WriterLease } from '@dexfeed/store'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import fc from 'fast-check'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { searchIndexBuilder } from '../src/writing/whole-days.ts'
import {
  address,
  creation,
  filling,
  following,
  header,
  headers,
  MIDNIGHT,
  openTestDatabase,
  POOL,
  pair,
  trade,
} from './rows/sample.ts'
import { FOLLOWED, type Followed, startFollowed } from './rows/scene.ts'

/*
 *  polygon  1 - 2 - 3 - 4a - 5a
 *                     \ 4b - 5b - 6b        { rollbackTo: 3, blocks 4b to 6b } in one transaction
 */

/** Every network's follower begins here; history is filled in below. */
const FIRST = 100

let database: Database
let stores: Record<Followed, IndexerStore>
let leases: Record<Followed, WriterLease>

beforeEach(async () => {
  database = await openTestDatabase(6)
  ;({ stores, leases } = await startFollowed(database))
})

interface Content {
  traders: (number | null)[]
  usd: bigint | null
  reserve: bigint | null
  ticks: number[]
  /** The pool that the block creates. */
  created: number | null
}

type Step =
  | { kind: 'follow'; contents: Content[] }
  | { kind: 'reorg'; depth: number; contents: Content[] }
  | { kind: 'fill'; contents: Content[] }

const content: fc.Arbitrary<Content> = fc.record({
  traders: fc.array(fc.option(fc.integer({ min: 1, max: 4 })), { maxLength: 3 }),
  usd: fc.option(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })),
  reserve: fc.option(fc.bigInt({ min: 0n, max: 2n ** 112n - 1n })),
  ticks: fc.array(fc.integer({ min: -2, max: 2 }), { maxLength: 3 }),
  created: fc.option(fc.integer({ min: 1, max: 3 })),
})
const contents = fc.array(content, { minLength: 1, maxLength: 4 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('follow' as const), contents }),
  fc.record({ kind: fc.constant('reorg' as const), depth: fc.integer({ min: 0, max: 6 }), contents }),
  fc.record({ kind: fc.constant('fill' as const), contents }),
)

/** One block and everything that it changes. */
interface PlainBlock {
  header: BlockHeader
  trades: PricedTrade[]
  states: PoolStateAt[]
  deltas: TickLiquidityAt[]
  creations: PoolCreation[]
}

/** The steps of one network: commits them, and remembers the blocks that are left. */
class Journey {
  readonly #blocks = new Map<number, PlainBlock>()
  readonly #name: Followed
  #head = FIRST - 1
  #lowest = FIRST
  #branch = 0

  constructor(name: Followed) {
    this.#name = name
  }

  async take(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step.kind === 'fill') await this.#fill(step.contents)
      else await this.#follow(step.contents, step.kind === 'reorg' && this.#head >= FIRST ? step.depth : null)
    }
  }

  async #follow(added: readonly Content[], depth: number | null): Promise<void> {
    const rollbackTo = depth === null ? null : Math.max(FIRST, this.#head - depth)
    if (rollbackTo !== null) {
      for (let number = rollbackTo + 1; number <= this.#head; number++) this.#blocks.delete(number)
      this.#head = rollbackTo
      this.#branch += 1
    }
    const from = this.#head + 1
    const blocks = added.map((content, index) => this.#block(from + index, content))
    await this.#commitHead(blocks, rollbackTo)
    this.#head += blocks.length
  }

  async #fill(added: readonly Content[]): Promise<void> {
    const from = this.#lowest - added.length
    const blocks = added.map((content, index) => this.#block(from + index, { ...content, reserve: null, ticks: [] }))
    this.#lowest = from
    await this.#commitHistory(blocks)
  }

  /** Commits the blocks that are left, in at most one commit of history and one of the follower. */
  async again(): Promise<void> {
    const blocks = [...this.#blocks.values()].sort((a, b) => a.header.number - b.header.number)
    await this.#commitHistory(blocks.filter(({ header }) => header.number < FIRST))
    await this.#commitHead(blocks.filter(({ header }) => header.number >= FIRST))
  }

  async #commitHead(blocks: readonly PlainBlock[], rollbackTo: number | null = null): Promise<void> {
    if (blocks.length === 0) return
    const headers = blocks.map(({ header }) => header)
    const trades = blocks.flatMap((block) => block.trades)
    const poolStates = blocks.flatMap(({ states }) => states)
    const tickDeltas = blocks.flatMap(({ deltas }) => deltas)
    const live = { rollbackTo, poolStates, tickDeltas }
    const commit = following(leases[this.#name].epoch, headers, trades, live)
    await stores[this.#name].commitHead({ ...commit, ...created(blocks) })
  }

  async #commitHistory(blocks: readonly PlainBlock[]): Promise<void> {
    const [from, to] = [blocks[0]?.header.number, blocks.at(-1)?.header.number]
    if (from === undefined || to === undefined) return
    const trades = blocks.flatMap((block) => block.trades)
    const times = { fromTime: timeOf(from), toTime: timeOf(to) }
    await stores[this.#name].commitHistory({ ...filling(from, to, trades, times), ...created(blocks) })
  }

  #block(number: number, { traders, usd, reserve, ticks, created }: Content): PlainBlock {
    const parentHash = this.#blocks.get(number - 1)?.header.hash ?? header(number, 0).parentHash
    const block = {
      header: { ...header(number, timeOf(number), this.#branch), parentHash },
      trades: traders.map((trader, position) => tradeOf(number, position, trader, usd)),
      states: reserve === null ? [] : [pair(number, reserve, 7n)],
      deltas: ticks.map((tick) => ({ pool: address(0xa3), blockNumber: number, tick, gross: 5n, net: BigInt(tick) })),
      creations: created === null ? [] : [creation(number, timeOf(number), { pool: address(0xc0 + created) })],
    }
    this.#blocks.set(number, block)
    return block
  }
}

function created(blocks: readonly PlainBlock[]) {
  const creations = blocks.flatMap((block) => block.creations)
  return { creations, pools: [POOL, ...creations.map(({ pool }) => ({ ...POOL, address: pool }))] }
}

/** Midnight is between blocks 100 and 101, and between 90 and 91. */
function timeOf(number: number): number {
  return MIDNIGHT - 8_640 + 8_640 * (number - FIRST)
}

function tradeOf(number: number, position: number, trader: number | null, usdE8: bigint | null): PricedTrade {
  return trade(number, timeOf(number), {
    position,
    trader: trader === null ? null : address(trader),
    usdE8,
    source: usdE8 === null ? null : 'anchor',
    flags: trader === 1 ? 2 : 0,
    ...(position === 0 ? { moves: [{ token: address(0x70 + (trader ?? 0)), isWhole: trader !== 2 }] } : {}),
  })
}

/** Creates empty partitions with search indexes for all days that the steps reach. */
async function indexDays(): Promise<void> {
  for (let number = FIRST - 35; number <= FIRST + 35; number += 10) {
    const times = { fromTime: timeOf(number), toTime: timeOf(number) }
    await stores.bsc.commitHistory(filling(number, number, [tradeOf(number, 0, 1, null)], times))
  }
  await emptyTables()
  expect(await searchIndexBuilder(database, 0)(new AbortController().signal)).toHaveLength(16)
}

async function emptyTables(): Promise<void> {
  await database.pool.query(
    'TRUNCATE pool, pool_creation, swap, swap_hop, pool_candle, token_volume, token_flow, hour_volume, day_total, day_trader, day_address_count, covered_range, block, pool_state, pool_tick, token_move, liquidity_event',
  )
  await database.pool.query('UPDATE network SET head_number = NULL, head_hash = NULL, final_number = NULL')
}

describe('a rollback', () => {
  it.each(['without', 'with'])(
    'leaves what commits of the blocks that are left would, after any steps of two networks, %s search indexes',
    async (kind) => {
      if (kind === 'with') await indexDays()
      const steps = fc.array(step, { maxLength: 8 })
      let compared = 0
      await fc.assert(
        fc
          .asyncProperty(steps, steps, async (bsc, polygon) => {
            const journeys = FOLLOWED.map((name) => new Journey(name))
            const results = await Promise.allSettled(
              journeys.map((journey, at) => journey.take(at === 0 ? bsc : polygon)),
            )
            expect(results.map((result) => (result.status === 'rejected' ? result.reason : null))).toEqual([null, null])
            const stored = await tableContents(database.pool)
            compared += stored.swap?.length ?? 0
            await emptyTables()
            for (const journey of journeys) await journey.again()
            expect(await tableContents(database.pool)).toEqual(stored)
          })
          .afterEach(emptyTables),
        { numRuns: 6 * inject('scale') },
      )
      expect(compared).toBeGreaterThan(0)
    },
    300_000,
  )

  it('without a new branch equals never having indexed the blocks', async () => {
    const store = stores.polygon
    const { epoch } = leases.polygon
    const blocks = [1, 2, 3, 4, 5, 6].map((number) => header(number, timeOf(number + 96)))
    const swaps = blocks.map(({ number, timestamp }) =>
      trade(number, timestamp, { trader: address(number % 3), moves: [{ token: address(7), isWhole: true }] }),
    )
    const kept = blocks[2]
    if (!kept) throw new Error('three blocks are kept')
    await store.commitHead(following(epoch, blocks.slice(0, 3), swaps.slice(0, 3)))
    const before = await tableContents(database.pool)
    await store.commitHead(following(epoch, blocks.slice(3), swaps.slice(3)))
    expect(await tableContents(database.pool)).not.toEqual(before)
    const back = following(epoch, [kept], [], { rollbackTo: 3 })
    await store.commitHead({ ...back, from: 4, to: 3, live: back.live && { ...back.live, blocks: [] } })
    expect(await tableContents(database.pool)).toEqual(before)
    expect(await store.networkRow()).toMatchObject({ reorgs: 1, head: { number: 3 } })
  })

  it('to the block below the first covered one leaves only the new branch covered', async () => {
    const store = stores.polygon
    const { epoch } = leases.polygon
    const blocks = headers(2, 3)
    await store.commitHead(following(epoch, blocks, [], { finalNumber: 1 }))
    const branch = headers(2, 2, 1)
    await store.commitHead(following(epoch, branch, [], { finalNumber: 1, rollbackTo: 1 }))
    expect(await store.coveredRanges()).toMatchObject([{ from: 2, to: 2 }])
  })

  it('deletes the pools that the orphaned blocks created, and no others', async () => {
    const store = stores.polygon
    const { epoch } = leases.polygon
    const orphan = { ...POOL, address: address(0xc1) }
    const creations = [creation(1, MIDNIGHT + 1), creation(2, MIDNIGHT + 2, { pool: orphan.address })]
    await store.commitHead({ ...following(epoch, headers(1, 3)), pools: [POOL, orphan], creations })
    expect(await store.poolsCreatedAbove(1)).toEqual([orphan.address])
    await store.commitHead(following(epoch, headers(2, 2, 1), [], { rollbackTo: 1 }))
    expect(await store.creationsIn({ from: 0, to: 9 })).toEqual(creations.slice(0, 1))
    expect((await store.loadPools()).map((pool) => pool.address)).toEqual([POOL.address])
  })

  it('returns states as of an earlier block', async () => {
    const store = stores.polygon
    const blocks = headers(1, 3)
    await store.commitHead(following(leases.polygon.epoch, blocks, [], { poolStates: [pair(1), pair(3)] }))
    expect(await store.loadPoolStates()).toEqual([pair(3)])
    expect(await store.loadPoolStates(2)).toEqual([pair(1)])
    expect(await store.loadPoolStates(0)).toEqual([])
  })

  it('below the final block is refused and changes nothing', async () => {
    const store = stores.polygon
    const blocks = headers(1, 4)
    await store.commitHead(following(leases.polygon.epoch, blocks, [trade(4, MIDNIGHT + 4)], { finalNumber: 3 }))
    const before = await tableContents(database.pool)
    const commit = following(leases.polygon.epoch, headers(3, 4, 1), [], { rollbackTo: 2 })
    await expect(store.commitHead(commit)).rejects.toBeInstanceOf(ReorgTooDeep)
    expect(await tableContents(database.pool)).toEqual(before)
  })
})
