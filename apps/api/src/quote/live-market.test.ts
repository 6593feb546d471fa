import {
  type Address,
  type BlockHeader,
  bestRoute,
  type Hex,
  type PoolState,
  type PoolStateAt,
  type PricedTrade,
  type TickLiquidityAt,
} from '@dexfeed/dex'
import {
  type Database,
  type IndexerStore,
  openDatabase,
  openIndexerStore,
  openReader,
  type Reader,
} from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { hexNumber } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { LiveMarketFollower } from './live-market.ts'

// Four tokens, of which only the first is trusted, and a pair or a V3 pool between any two of them:
//
//   T0 === T1
//   ||  X  ||      a follower sees every commit, another some of them; both must quote like one that begins now
//   T2 === T3
const TOKENS = [0, 1, 2, 3].map((at) => hexNumber(0x100 + at))
const ENDS = [0, 1, 2, 3].flatMap((a) => [0, 1, 2, 3].filter((b) => b > a).map((b) => [a, b] as const))
const POOLS = ENDS.map(([a, b], at) => (at % 2 === 0 ? pool(0x900 + at, a, b, null) : pool(0xa00 + at, a, b, 60)))
const TICKS = [-120, -60, 60, 120]
const AMOUNT = 10n ** 18n
const START = 1_700_000_000

let database: Database
let reader: Reader

beforeAll(async () => {
  database = await openDatabase(await testDatabase(), { applicationName: 'test-live-market', max: 6 })
  closeAfter(() => database.close())
  // Small pages, so that most of what is read takes several.
  reader = openReader(database, { marketPageRows: 3 })
})

function pool(n: number, a: number, b: number, tickSpacing: number | null) {
  const dex = {
    name: 'made',
    kind: tickSpacing === null ? 'uniswap-v2' : 'uniswap-v3',
    factory: hexNumber(0xfac),
  } as const
  return {
    address: hexNumber(n),
    dex,
    token0: TOKENS[a] as Address,
    token1: TOKENS[b] as Address,
    fee: 3000,
    tickSpacing,
  }
}

function stateOf({ tickSpacing }: { tickSpacing: number | null }, draw: number): PoolState {
  const amount = AMOUNT * BigInt(1 + (draw % 1_000))
  if (tickSpacing === null) return { kind: 'pair', reserve0: amount, reserve1: 3n * amount }
  return { kind: 'concentrated', sqrtPriceX96: 2n ** 96n + BigInt(draw), tick: 0, liquidity: amount }
}

/** The chain that a writer commits, and what it was told to do. */
class Writer {
  readonly #store: IndexerStore
  readonly #epoch: number
  #headers: BlockHeader[] = []
  #branch = 0
  #final = 0
  #pruned = -1

  constructor(store: IndexerStore, epoch: number) {
    this.#store = store
    this.#epoch = epoch
  }

  get #head(): number {
    return this.#headers.length
  }

  #header(number: number): BlockHeader {
    const hash = (n: number, branch: number): Hex => hexNumber((BigInt(branch) << 64n) + BigInt(n), 64)
    const below = this.#headers[number - 2]
    return {
      number,
      hash: hash(number, this.#branch),
      parentHash: below?.hash ?? hash(0, 0),
      timestamp: START + 60 * number,
    }
  }

  /** A block with some states, ticks and a move, on the head or (with a depth) in the place of the last ones. */
  async commit(draws: readonly number[], depth = 0): Promise<void> {
    const ancestor = Math.max(this.#final, this.#head - depth)
    const rollbackTo = ancestor < this.#head ? ancestor : null
    if (rollbackTo !== null) this.#branch++
    this.#headers.length = ancestor
    const block = this.#header(ancestor + 1)
    this.#headers.push(block)
    const touched = new Map(draws.map((draw) => [POOLS[draw % POOLS.length]?.address, draw]))
    const poolStates: PoolStateAt[] = []
    const tickDeltas: TickLiquidityAt[] = []
    for (const one of POOLS) {
      const draw = touched.get(one.address)
      if (draw === undefined) continue
      const at = { pool: one.address, blockNumber: block.number }
      poolStates.push({ ...at, state: stateOf(one, draw) })
      if (one.tickSpacing === null) continue
      const liquidity = AMOUNT * BigInt(1 + (draw % 7))
      tickDeltas.push({ ...at, tick: TICKS[draw % 2] as number, gross: liquidity, net: liquidity })
      tickDeltas.push({ ...at, tick: TICKS[2 + (draw % 2)] as number, gross: liquidity, net: -liquidity })
    }
    const { number, timestamp } = block
    await this.#store.commit({
      ...{ from: number, to: number, fromTime: timestamp, toTime: timestamp, pools: POOLS, tokens: [] },
      trades: draws.slice(0, 1).map((draw) => moving(block, draw)),
      live: {
        ...{ epoch: this.#epoch, rollbackTo, blocks: [block], head: block, finalNumber: this.#final },
        ...{ chainHead: block, isProven: true, poolStates, tickDeltas },
      },
    })
  }

  /** What was read of a pool from the chain, in the place of all that is known of it. */
  async snapshot(draw: number): Promise<void> {
    const head = this.#headers.at(-1)
    const one = POOLS[draw % POOLS.length]
    if (head === undefined || one === undefined) return
    const at = { pool: one.address, blockNumber: head.number }
    const ticks = one.tickSpacing === null ? [] : [TICKS[draw % 2] as number, TICKS[2 + (draw % 2)] as number]
    await this.#store.commitPoolStates({
      ...{ epoch: this.#epoch, headHash: head.hash },
      states: [{ ...at, state: stateOf(one, draw), readAt: head.number }],
      ticks: ticks.map((tick) => ({ ...at, tick, gross: AMOUNT, net: tick < 0 ? AMOUNT : -AMOUNT })),
    })
  }

  distrust(draw: number): Promise<void> {
    const one = POOLS[draw % POOLS.length] as (typeof POOLS)[number]
    return this.#store.distrust([{ pool: one.address, blockNumber: Math.max(0, this.#head - 1) }])
  }

  async settle(draw: number): Promise<void> {
    this.#final = Math.min(this.#head, this.#final + (draw % 4))
    await this.#store.noteFinal(this.#epoch, this.#final)
    this.#pruned = await this.#store.pruneStates(this.#pruned)
  }

  async drop(): Promise<void> {
    await this.#store.dropPoolStates(this.#epoch)
  }
}

/** A trade that carries a token from one pool to another. */
function moving({ number, timestamp }: BlockHeader, draw: number): PricedTrade {
  const [token0, token1] = [TOKENS[0] as Address, TOKENS[1] as Address]
  return {
    ...{ blockNumber: number, timestamp, transactionIndex: 0, position: 0, txHash: hexNumber(number, 64) },
    ...{
      trader: hexNumber(0xb0 + (draw % 5)),
      settledFor: null,
      byToken: false,
      isPartial: false,
      hops: [],
      hopsUsdE8: [],
    },
    sell: { token: token0, amount: 1n, native: false },
    buy: { token: token1, amount: 1n, native: false },
    ...{ usdE8: null, source: null, flags: 0 },
    moves: [{ token: TOKENS[1 + (draw % 3)] as Address, isWhole: draw % 11 > 0 }],
  }
}

/** Everything that a follower's market answers. */
function answersOf(follower: LiveMarketFollower) {
  const live = follower.current ?? expect.fail('the network is indexed')
  const routes = TOKENS.flatMap((sell) =>
    TOKENS.flatMap((buy) =>
      // Over ticks, and inside of one.
      [4n * AMOUNT, AMOUNT / 1_000n].map((amount) => {
        const route = bestRoute(live.market, sell, buy, amount)
        return route && [route.amountOut, ...route.hops.map((hop) => hop.pool.address)]
      }),
    ),
  )
  const { revision, reorgs, head } = live.network
  return { revision, reorgs, head, routes }
}

const step = fc.record({
  kind: fc.constantFrom('commit', 'commit', 'commit', 'rollback', 'rollback', 'snapshot', 'distrust', 'settle', 'drop'),
  draws: fc.array(fc.nat({ max: 100_000 }), { minLength: 1, maxLength: 5 }),
  depth: fc.integer({ min: 1, max: 6 }),
  isSeen: fc.boolean(),
})

test('a market that is followed, through every commit or some, answers like one that is read anew', async () => {
  let routes = 0
  let deltas = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
      await database.pool.query(`TRUNCATE network, pool, pool_state, pool_tick, distrusted_pool, network_rollback, block,
        covered_range, swap, token_move, day_total, day_trader, day_address_count, token, listed_symbol`)
      const store = openIndexerStore(database, 'eth')
      await store.register({
        genesisHash: hexNumber(0x99, 64),
        deployment: {
          ...{
            network: 'eth',
            wrappedNative: TOKENS[0] as Address,
            stablecoins: [],
            anchors: [],
            dexes: [],
            tokens: [],
          },
          finalityDepth: 4,
        },
        start: { number: 1, timestamp: START },
      })
      const lease = await store.acquireWriter(AbortSignal.timeout(20_000))
      try {
        let loads = 0
        const market = (...of: Parameters<Reader['market']>) => {
          loads++
          return reader.market(...of)
        }
        const counting = { ...reader, market }
        const [every, some] = [new LiveMarketFollower('eth', counting), new LiveMarketFollower('eth', reader)]
        const writer = new Writer(store, lease.epoch)
        await writer.commit([1, 2, 3, 4, 5])
        await Promise.all([every.refresh(), some.refresh()])
        const drops = steps.filter(({ kind }) => kind === 'drop').length
        for (const { kind, draws, depth, isSeen } of steps) {
          const [draw = 0] = draws
          if (kind === 'commit') await writer.commit(draws)
          else if (kind === 'rollback') await writer.commit(draws, depth)
          else if (kind === 'snapshot') await writer.snapshot(draw)
          else if (kind === 'distrust') await writer.distrust(draw)
          else if (kind === 'settle') await writer.settle(draw)
          else await writer.drop()
          if (kind === 'drop') await writer.commit(draws)
          await every.refresh()
          if (isSeen) await some.refresh()
          const anew = new LiveMarketFollower('eth', reader)
          await anew.refresh()
          const answers = answersOf(anew)
          expect(answersOf(every)).toEqual(answers)
          if (isSeen) expect(answersOf(some)).toEqual(answers)
          routes += answers.routes.filter((route) => route !== null && route.length > 2).length
          deltas += kind === 'rollback' ? 1 : 0
        }
        // Once at the beginning, and when all states are gone: never because of a rollback.
        expect(loads).toBe(1 + drops)
      } finally {
        await lease.release()
      }
    }),
    { numRuns: 12 },
  )
  expect(Math.min(routes, deltas)).toBeGreaterThan(10)
}, 180_000)
