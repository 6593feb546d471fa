import { type BlockHeader, HOUR_S, type PricedTrade } from '@dexfeed/dex'
import { type IndexerStore, openDatabase, openIndexerStore } from '@dexfeed/store'
import { headCommit } from '@dexfeed/store/test/head-commit'
import { closeAfter } from '@dexfeed/test-setup'
import { hexNumber, seedNetwork, seedTokens } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../api-fixture.ts'
import { DECIMALS, iso, ONE, POOLS, storedCandles, THREE, TRADES, TWO } from '../made-hops.ts'
import { expectTradesToAddUp } from '../pool-trades.ts'
import { FollowedList, sorted, wholeList } from './followed-list.ts'
import { listenToEvents, type Received } from './listener.ts'

const TOKENS = [ONE, TWO, THREE]
const FINALITY = 12
/** From this block on every change is sent: 21 hours after the first one. */
const FIRST = 120
/** No block above it is older. */
const SINCE = (TRADES[FIRST - 1]?.timestamp ?? NOON) + HOUR_S
const QUERIES = [
  `pool=${POOLS[1].address}`,
  'protocol=uniswap-v2',
  `protocol=curve&pool=${POOLS[2].address}&min_usd=20`,
]

/** The follower of a chain: blocks come, some are rolled back, others replace them. */
class Chain {
  readonly #store: IndexerStore
  readonly #epoch: number
  #blocks: BlockHeader[] = []
  #branch = 0
  /** Stays unchanged while a new branch is shorter. */
  #final = 0

  constructor(store: IndexerStore, epoch: number) {
    this.#store = store
    this.#epoch = epoch
  }

  async go(back: number, count: number): Promise<void> {
    const kept = Math.max(this.#final, this.#blocks.length - back)
    const isReorg = kept < this.#blocks.length
    if (isReorg) this.#branch++
    const below = this.#blocks.slice(0, kept)
    const trades: PricedTrade[] = []
    const added: BlockHeader[] = []
    for (let number = kept + 1; number <= kept + count; number++) {
      // Another branch has other trades at the same times.
      const source = TRADES[(number + 37 * this.#branch) % TRADES.length]
      const timestamp = TRADES[number - 1]?.timestamp ?? NOON
      if (source !== undefined && number > 1 && (number + this.#branch) % 5 > 0)
        trades.push({ ...source, blockNumber: number, timestamp })
      const parentHash = (added.at(-1) ?? below.at(-1))?.hash ?? hexNumber(0, 64)
      added.push({ number, hash: hexNumber(number + 1_000 * (this.#branch + 1), 64), parentHash, timestamp })
    }
    const head = added.at(-1)
    if (head === undefined) return
    this.#final = Math.max(this.#final, head.number - FINALITY)
    const live = { rollbackTo: isReorg ? kept : null, finalNumber: this.#final }
    await this.#store.commitHead(headCommit(this.#epoch, added, { trades, pools: POOLS }, live))
    this.#blocks = [...below, ...added]
  }
}

async function open(): Promise<{ api: ApiFixture; chain: Chain }> {
  const api = await openFixture({
    async fill(owner) {
      const start = { number: 1, time: NOON - 3 * 86_400 }
      await seedNetwork(owner, { network: 'bsc', wrapped: ONE, stablecoins: [TWO], start })
      await seedTokens(
        owner,
        'bsc',
        TOKENS.map((token) => ({ address: token, symbol: 'T', name: 'T', decimals: DECIMALS[token] ?? 0 })),
      )
    },
  })
  const database = await openDatabase(api.ownerUrl, { applicationName: 'test' })
  closeAfter(() => database.close())
  const store = openIndexerStore(database, 'bsc')
  const lease = await store.acquireWriter(new AbortController().signal)
  closeAfter(() => lease.release())
  return { api, chain: new Chain(store, lease.epoch) }
}

async function expectRollUps(api: ApiFixture, received: readonly Received[]): Promise<void> {
  const candles = new Map<string, unknown>()
  const prices = new Map<string, string | null>()
  for (const each of received) {
    if (each.event === 'price') prices.set(each.data.token.toLowerCase(), each.data.price_usd)
    if (each.event !== 'candle') continue
    const { network: _, ...candle } = each.data
    const key = `${candle.token.toLowerCase()} ${candle.time}`
    if (candle.swaps === 0) candles.delete(key)
    else candles.set(key, candle)
  }
  for (const token of TOKENS) {
    const all = await storedCandles(api, token, 60)
    const expected = all.filter(isSent)
    const own = [...candles].filter(([key]) => key.startsWith(token)).map(([, candle]) => candle as { time: string })
    expect(own.filter(isSent).toSorted((a, b) => (a.time < b.time ? -1 : 1))).toEqual(expected)
    expect(expected.length).toBeGreaterThan(0)
    expect(prices.get(token) ?? null).toBe(all.findLast(({ close }) => close !== null)?.close ?? null)
  }
}

/** Expects the price events to name the block that their head follows, and the token's last added hop. */
function expectPlaces(received: readonly Received[]): void {
  let hops: { token_in: string; token_out: string; block: number; log: number }[] = []
  let prices: Extract<Received, { event: 'price' }>['data'][] = []
  let isBegun = false
  let seen = 0
  for (const { event, data } of received) {
    if (event === 'swap') {
      const block = Number(data.block_number)
      for (const { log_index, ...hop } of data.hops) hops.push({ ...hop, block, log: log_index })
    }
    if (event === 'price') prices.push(data)
    if (event !== 'head') continue
    const inOrder = hops.toSorted((a, b) => a.block - b.block || a.log - b.log)
    for (const { token, symbol, side, block_number, time } of isBegun ? prices : []) {
      const last = inOrder.findLast(({ token_in, token_out }) => token_in === token || token_out === token)
      const expected = last === undefined ? null : last.token_out === token ? 'buy' : 'sell'
      expect({ symbol, side, block_number, time }).toEqual({
        symbol: 'T',
        side: expected,
        block_number: data.block_number,
        time: new Date(data.time ?? '').toISOString(),
      })
      seen += expected === null ? 0 : 1
    }
    isBegun = true
    hops = []
    prices = []
  }
  expect(seen).toBeGreaterThan(0)
}

const isSent = ({ time }: { time: string }) => time >= iso(SINCE)

/** Two reorgs in a row, the second from a head that is lower than the one before the first. */
const TWICE_BACK = [
  { back: 12, count: 1 },
  { back: 12, count: 9 },
]

const moves = fc.array(
  fc.record({ back: fc.oneof(fc.constant(0), fc.nat(14)), count: fc.integer({ min: 1, max: 25 }) }),
  {
    minLength: 3,
    maxLength: 14,
  },
)

const seed = inject('seed')
const [drawn = []] = fc.sample(moves, { numRuns: 1, seed })

it.each([
  ['two reorgs in a row', TWICE_BACK],
  [`seed ${seed}`, drawn],
])(
  'candles and prices of events equal those made of the rows, and trades are found by pool and protocol (%s)',
  async (_, plan) => {
    const { api, chain } = await open()
    // The candles of young tokens may change until their hour is over, so tokens begin to trade before clients listen.
    await chain.go(0, FIRST)
    const listener = await listenToEvents(api.api.url, { query: 'network=bsc&events=swap,candle,price' })
    const swaps = await Promise.all(QUERIES.map((query) => listenToEvents(api.api.url, { query })))
    // Enough that each query has some.
    await chain.go(0, 25)
    for (const { back, count } of plan) await chain.go(back, count)
    const end = JSON.stringify(plan)
    await expect
      .poll(
        () =>
          expectRollUps(api, listener.received).then(
            () => 'equal',
            (error) => String(error.stack).slice(0, 3000),
          ),
        { message: end },
      )
      .toBe('equal')
    expectPlaces(listener.received)
    for (const [address, base] of [
      [POOLS[0].address, ONE],
      [POOLS[1].address, THREE],
      [POOLS[2].address, THREE],
    ] as const)
      await expectTradesToAddUp(api, address, base)
    for (const [at, query] of QUERIES.entries()) {
      const isNew = ({ block_number }: { block_number: string }) => Number(block_number) > FIRST
      const expected = sorted(await wholeList(api, query)).filter(isNew)
      expect(expected.length, query).toBeGreaterThan(0)
      const followed = async () => {
        const list = new FollowedList(api, query)
        for (const received of swaps[at]?.received ?? []) await list.take(received)
        return list.rows.filter(isNew)
      }
      await expect.poll(followed, { message: end }).toEqual(expected)
    }
    for (const testListener of [listener, ...swaps]) testListener.close()
  },
)
