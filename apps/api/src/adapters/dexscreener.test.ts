import { checksumAddress } from '@dexfeed/contract'
import {
  coinsOf,
  DAY_S,
  type Hex,
  type Pool,
  type PricedMove,
  type PricedTrade,
  present,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import { type IndexerStore, openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { hexNumber, seedCreation, seedLiquidity, seedNetwork, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { type ApiFixture, NOON, openFixture } from '../../test/api-fixture.ts'
import { DexscreenerClient } from '../../test/dexscreener-client.ts'
import { ONE, pool, THREE, TWO } from '../../test/made-hops.ts'

// bsc has final blocks up to 60, which are filled in any order, and then a head, whose last blocks are replaced once:
//
//   1 ............ 60 - 61 ... 66 - 67 ... 70
//                               \ - 67' .. 72'
const FINAL = 60
const ANCESTOR = 66
const FIRST_HEAD = 70
const HEAD = 72
/** The final blocks span two days. */
const timeOf = (block: number) => NOON - 20 * 3_600 + block * 1_000

/** The contract of FOUR returns no decimals. ONE wraps the coin. */
const FOUR = hexNumber(4)
const DECIMALS: Record<Hex, number | null> = { [ONE]: 18, [TWO]: 6, [THREE]: 0, [FOUR]: null }
const MANAGER = hexNumber(0xabc)
const POOLS: readonly (Pool & { pairs: readonly (readonly [Hex, Hex])[] })[] = [
  { ...pool(0xa0, [ONE, TWO], 'uniswap-v2'), pairs: [[ONE, TWO]] },
  { ...pool(0xa1, [THREE, ONE], 'sushiswap'), pairs: [[THREE, ONE]] },
  {
    ...pool(0xa2, [THREE, TWO, ONE], 'curve'),
    pairs: [
      [THREE, TWO],
      [THREE, ONE],
      [TWO, ONE],
    ],
  },
  {
    ...pool(0xa3, [ZERO_ADDRESS, TWO], 'uniswap-v4'),
    ...{ address: `${MANAGER}${hexNumber(0xa3, 64).slice(2)}`, fee: 0, pairs: [[ONE, TWO]] },
  },
  { ...pool(0xa4, [FOUR, ONE], 'uniswap-v2'), pairs: [[FOUR, ONE]] },
]

const amount = fc.oneof(
  { weight: 5, arbitrary: fc.bigInt({ min: 1n, max: 10n ** 26n }) },
  fc.constantFrom(0n, 1n, 2n ** 200n),
)
const madeHop = fc.record({
  ...{ of: fc.nat(4), pair: fc.nat(2), isInOrder: fc.boolean(), amountIn: amount, amountOut: amount },
})
type MadeTrade = { hops: { of: number; pair: number; isInOrder: boolean; amountIn: bigint; amountOut: bigint }[] } & {
  trader: number
  settledFor: number
}
const madeTrade: fc.Arbitrary<MadeTrade> = fc.record({
  ...{ hops: fc.array(madeHop, { minLength: 1, maxLength: 3 }), trader: fc.nat(3), settledFor: fc.nat(9) },
})
/** Of each block the transactions, of each transaction the trades; the logs of trades may be interleaved. */
const madeBlocks = fc.array(fc.array(fc.array(madeTrade, { maxLength: 2 }), { maxLength: 2 }), {
  ...{ minLength: FIRST_HEAD + HEAD - ANCESTOR, maxLength: FIRST_HEAD + HEAD - ANCESTOR, size: 'max' },
})

function tradesOf(block: number, transactions: MadeTrade[][], salt: number): PricedTrade[] {
  return transactions.flatMap((trades, transactionIndex) => {
    const count = trades.reduce((sum, { hops }) => sum + hops.length, 0)
    let log = 0
    return trades.map(({ hops: made, trader, settledFor }, position): PricedTrade => {
      const hops = made.map(({ of, pair, isInOrder, amountIn, amountOut }) => {
        const { pairs, ...own } = present(POOLS[of])
        const [a, b] = present(pairs[pair % pairs.length])
        const [tokenIn, tokenOut] = isInOrder ? [a, b] : [b, a]
        // Coprime to the count, so that logs of trades interleave.
        const logIndex = 100 * transactionIndex + ((log++ * 7) % Math.max(1, count))
        const more = { recipient: null, reservesBefore: null, nativeIn: false, nativeOut: false }
        return {
          pool: own,
          logIndex: count % 7 === 0 ? 100 * transactionIndex + log : logIndex,
          ...more,
          tokenIn,
          amountIn,
          tokenOut,
          amountOut,
        }
      })
      const [first, last] = [present(hops[0]), present(hops.at(-1))]
      return {
        ...{ blockNumber: block, timestamp: timeOf(block), transactionIndex, position, hops },
        ...{ txHash: hexNumber(1_000_000 * salt + 100 * block + transactionIndex, 64), byToken: false },
        ...{ trader: trader === 0 ? null : hexNumber(0x700 + trader), isPartial: false, flags: 0 },
        settledFor: settledFor === 0 ? hexNumber(0x7ff) : null,
        sell: { token: first.tokenIn, amount: first.amountIn, native: false },
        buy: { token: last.tokenOut, amount: last.amountOut, native: false },
        ...{ usdE8: null, source: null, hopsUsdE8: hops.map(() => null) },
      }
    })
  })
}

/** Returns a liquidity event, in some blocks without amounts. */
function moveOf(block: number, salt: number): PricedMove {
  const { pairs: _, ...of } = present(POOLS[block % POOLS.length])
  const coins = coinsOf(of)
  return {
    ...{
      blockNumber: block,
      timestamp: timeOf(block),
      transactionIndex: 1,
      logIndex: 900 + salt,
      pool: of.address,
      coins,
    },
    ...{ txHash: hexNumber(5_000_000 * salt + block, 64), account: block % 3 === 0 ? null : hexNumber(0x700) },
    ...{ isAdded: block % 2 === 0, range: null, usdE8: null },
    amounts: block % 7 === 0 ? null : coins.map((_coin, n) => BigInt(block) * 10n ** 15n + BigInt(n)),
  }
}

function plainJoinExit({ isAdded, amounts, ...move }: PricedMove) {
  const of = present(POOLS.find(({ address }) => address === move.pool))
  const [pair, ...others] = of.pairs
  const [decimals0, decimals1] = pair?.map((token) => DECIMALS[token] ?? null) ?? []
  if (amounts === null || decimals0 == null || decimals1 == null || others.length > 0) return null
  return {
    ...{ block: { blockNumber: move.blockNumber, blockTimestamp: move.timestamp }, txnIndex: move.transactionIndex },
    ...{ eventType: isAdded ? 'join' : 'exit', txnId: move.txHash, eventIndex: move.logIndex, pairId: of.address },
    ...{
      maker: move.account && checksumAddress(move.account),
      amounts: [...amounts],
      decimals: [decimals0, decimals1],
    },
  }
}

/** What the specification makes of a hop: null if it has no valid event for it. */
function plainEvent(trade: PricedTrade, hop: PricedTrade['hops'][number]) {
  const of = present(POOLS.find(({ address }) => address === hop.pool.address))
  const named = [hop.tokenIn, hop.tokenOut]
  const [asset0, asset1] = present(of.pairs.find((pair) => pair.every((token) => named.includes(token))))
  const [decimals0, decimals1] = [DECIMALS[asset0] ?? null, DECIMALS[asset1] ?? null]
  if (decimals0 === null || decimals1 === null || hop.amountIn === 0n || hop.amountOut === 0n) return null
  const isIn0 = hop.tokenIn === asset0
  const [amount0, amount1] = isIn0 ? [hop.amountIn, hop.amountOut] : [hop.amountOut, hop.amountIn]
  return {
    block: { blockNumber: trade.blockNumber, blockTimestamp: trade.timestamp },
    ...{ eventType: 'swap', txnId: trade.txHash, txnIndex: trade.transactionIndex, eventIndex: hop.logIndex },
    maker: trade.settledFor ?? trade.trader,
    pairId: of.pairs.length === 1 ? of.address : `${of.address}-${asset0}-${asset1}`,
    ...(isIn0 ? { asset0In: amount0, asset1Out: amount1 } : { asset1In: amount1, asset0Out: amount0 }),
    ...{ decimals0, decimals1, amount0, amount1 },
  }
}

/** Returns base units of a decimal text, which must have no more digits than the token. */
function unitsOf(text: unknown, decimals: number): bigint {
  const [whole = '', fraction = ''] = String(text).split('.')
  expect(fraction.slice(decimals)).toMatch(/^0*$/)
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

/** Whether 50 digits after the point are those of (amount1 / 10^decimals1) / (amount0 / 10^decimals0). */
function expectPrice(
  text: unknown,
  { amount0, amount1, decimals0, decimals1 }: NonNullable<ReturnType<typeof plainEvent>>,
) {
  const price = BigInt(String(text).replace('.', ''))
  expect(String(text)).toMatch(/^\d+\.\d{50}$/)
  const unit = amount0 * 10n ** BigInt(decimals1)
  const rest = amount1 * 10n ** BigInt(decimals0 + 50) - price * unit
  expect(rest >= 0n && rest < unit).toBe(true)
}

async function expectEvents(
  client: DexscreenerClient,
  [from, to]: readonly [number, number],
  trades: readonly PricedTrade[],
  moves: readonly PricedMove[] = [],
) {
  const all = await client.events(from, to)
  const inRange = ({ blockNumber }: { blockNumber: number }) => from <= blockNumber && blockNumber <= to
  const places = all.map(({ block, txnIndex, eventIndex }) => block.blockNumber * 1e6 + txnIndex * 1e4 + eventIndex)
  expect(places).toEqual(places.toSorted((x, y) => x - y))
  const events = all.filter(({ eventType }) => eventType === 'swap')
  const joins = all.filter(({ eventType }) => eventType !== 'swap')
  const plainJoins = moves.filter(inRange).flatMap((move) => plainJoinExit(move) ?? [])
  expect(joins.length).toBe(plainJoins.length)
  for (const [n, { amount0, amount1, ...join }] of joins.entries()) {
    const { amounts, decimals, ...expected } = present(plainJoins[n])
    expect(join).toEqual(expected)
    expect([unitsOf(amount0, present(decimals[0])), unitsOf(amount1, present(decimals[1]))]).toEqual(amounts)
  }
  const stated = trades
    .filter(inRange)
    .flatMap((trade) => trade.hops.flatMap((hop) => plainEvent(trade, hop) ?? []))
    .filter(
      ({ amount0, amount1, decimals0, decimals1 }) =>
        amount1 * 10n ** BigInt(decimals0 + 50) >= amount0 * 10n ** BigInt(decimals1),
    )
    .sort((a, b) => a.block.blockNumber - b.block.blockNumber || a.txnIndex - b.txnIndex || a.eventIndex - b.eventIndex)
  expect(events.map(({ txnId, eventIndex }) => `${txnId} ${eventIndex}`)).toEqual(
    stated.map(({ txnId, eventIndex }) => `${txnId} ${eventIndex}`),
  )
  for (const [n, { maker, priceNative, ...event }] of events.entries()) {
    const { decimals0, decimals1, amount0, amount1, maker: account, ...expected } = present(stated[n])
    expect(maker?.toLowerCase() ?? null).toBe(account)
    expectPrice(priceNative, { ...expected, maker: account, decimals0, decimals1, amount0, amount1 } as never)
    const amounts = Object.fromEntries(
      Object.entries(event).map(([name, value]) =>
        /^asset[01]/.test(name) ? [name, unitsOf(value, name[5] === '0' ? decimals0 : decimals1)] : [name, value],
      ),
    )
    expect(amounts).toEqual(expected)
  }
}

interface World {
  api: ApiFixture
  client: DexscreenerClient
  store: IndexerStore
}

async function openWorld(): Promise<World> {
  const api = await openFixture({
    fill: async (owner) => {
      const start = { number: 1, time: timeOf(1) }
      const head = { number: FINAL, time: timeOf(FINAL), hash: hashOf(FINAL) }
      await seedNetwork(owner, { network: 'bsc', wrapped: ONE, stablecoins: [TWO], start, head })
      const tokens = Object.entries(DECIMALS).map(([address, decimals]) => ({
        ...{
          address: address as Hex,
          symbol: address === THREE ? '' : 'T',
          name: address === THREE ? '' : 'Token',
          decimals,
        },
      }))
      await seedTokens(owner, 'bsc', tokens)
      await owner.query(`UPDATE token SET supply = 123456789, supply_time = now() WHERE decimals = 6`)
      await seedCreation(owner, { network: 'bsc', pool: present(POOLS[0]).address, block: 7, time: timeOf(7) })
    },
  })
  const database = await openDatabase(api.ownerUrl, { applicationName: 'test' })
  closeAfter(() => database.close())
  const client = new DexscreenerClient(`${api.api.url}/adapters/dexscreener/bsc`)
  return { api, client, store: openIndexerStore(database, 'bsc') }
}

const hashOf = (block: number, branch = 0) => hexNumber(10_000 * branch + block, 64)

async function commitHead(
  { store, api }: World,
  from: number,
  to: number,
  { trades, moves }: { trades: readonly PricedTrade[]; moves: readonly PricedMove[] },
  branch: number,
) {
  const parentOf = (block: number) => (block - 1 <= ANCESTOR ? hashOf(block - 1) : hashOf(block - 1, branch))
  const ownHash = (block: number) => (block <= ANCESTOR ? hashOf(block) : hashOf(block, branch))
  const blocks = Array.from({ length: to - from + 1 }, (_, n) => ({
    ...{ number: from + n, hash: ownHash(from + n), parentHash: parentOf(from + n), timestamp: timeOf(from + n) },
  }))
  await store.commitHead({
    ...{ from, to, fromTime: timeOf(from), toTime: timeOf(to), pools: POOLS, tokens: [] },
    trades: trades.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to),
    moves: moves.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to),
    live: {
      ...{ epoch: 0, rollbackTo: branch === 0 ? null : from - 1, blocks, head: present(blocks.at(-1)) },
      ...{ finalNumber: FINAL, chainHead: { number: to, timestamp: timeOf(to) }, isProven: true },
      ...{ poolStates: [], tickDeltas: [] },
    },
  })
  await api.committed()
}

describe("the events of DEX Screener's adapter", () => {
  it('are all swaps of a range, once, whatever was indexed first and rolled back, or an error', async () => {
    const pieces = fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6, maxLength: 6 })
    const range = fc.tuple(fc.integer({ min: 1, max: HEAD }), fc.nat(40))
    const made = fc.record({ madeBlocks, pieces, ranges: fc.array(range, { minLength: 8, maxLength: 8 }) })
    for (const { madeBlocks, pieces, ranges } of fc.sample(made, { numRuns: inject('scale'), seed: inject('seed') })) {
      const world = await openWorld()
      const { api, client, store } = world
      const first = madeBlocks.slice(0, FIRST_HEAD).flatMap((block, n) => tradesOf(n + 1, block, 1))
      const second = madeBlocks.slice(FIRST_HEAD).flatMap((block, n) => tradesOf(ANCESTOR + n + 1, block, 2))
      const firstMoves = Array.from({ length: FIRST_HEAD }, (_, n) => moveOf(n + 1, 1))
      const secondMoves = Array.from({ length: HEAD - ANCESTOR }, (_, n) => moveOf(ANCESTOR + n + 1, 2))
      const covered = new Set<number>()
      const check = async (trades: readonly PricedTrade[], moves: readonly PricedMove[], head: number) => {
        const whole = Array.from({ length: head }, (_, n) => n + 1).findIndex((block) => !covered.has(block))
        const last = whole === -1 ? head : whole
        if (last === 0) await expect(client.latestBlock()).rejects.toThrow('503')
        else expect(await client.latestBlock()).toEqual({ blockNumber: last, blockTimestamp: timeOf(last) })
        for (const [from, more] of ranges) {
          const isWhole = Array.from({ length: more + 1 }, (_, n) => from + n).every((block) => covered.has(block))
          if (isWhole) await expectEvents(client, [from, from + more], trades, moves)
          else await expect(client.events(from, from + more)).rejects.toThrow('503')
        }
      }
      for (const piece of pieces) {
        const [from, to] = [10 * piece + 1, 10 * piece + 10]
        const trades = first.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
        const times = { fromTime: timeOf(from), toTime: timeOf(to) }
        const moves = firstMoves.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
        await store.commitHistory({ from, to, ...times, trades, moves, pools: POOLS, tokens: [] })
        for (let block = from; block <= to; block++) covered.add(block)
        await api.committed()
        await check(first, firstMoves, FINAL)
      }
      await commitHead(world, FINAL + 1, FIRST_HEAD, { trades: first, moves: firstMoves }, 0)
      for (let block = FINAL + 1; block <= FIRST_HEAD; block++) covered.add(block)
      await check(first, firstMoves, FIRST_HEAD)
      await commitHead(world, ANCESTOR + 1, HEAD, { trades: second, moves: secondMoves }, 1)
      for (let block = ANCESTOR + 1; block <= HEAD; block++) covered.add(block)
      const now = [...first.filter(({ blockNumber }) => blockNumber <= ANCESTOR), ...second]
      await check(now, [...firstMoves.slice(0, ANCESTOR), ...secondMoves], HEAD)
      // An indexer that follows finds the same, with a pair and two assets for each event.
      const indexed = await client.index(1, 7)
      expect(indexed).toEqual(await client.events(1, HEAD))
      for (const { pairId } of indexed) {
        const pair = await client.pair(pairId)
        const of = present(POOLS.find(({ address }) => pairId.startsWith(address)))
        expect(pair).toEqual({
          ...{ id: pairId, dexKey: of.dex.name },
          ...assetsOf(pairId),
          ...(of.fee > 0 && { feeBps: 30 }),
          ...(of === POOLS[0] && { createdAtBlockNumber: 7, createdAtBlockTimestamp: timeOf(7) }),
          ...(of === POOLS[0] && { createdAtTxnId: hexNumber(7, 64) }),
        })
      }
    }
  }, 300_000)

  const assetsOf = (pairId: string) => {
    const [address, ...named] = pairId.split('-')
    const of = present(POOLS.find((each) => each.address === address))
    const [asset0Id = '', asset1Id = ''] = (named.length > 0 ? named : present(of.pairs[0])).map(checksumAddress)
    return { asset0Id, asset1Id }
  }

  it('of deleted days, of too many trades and of blocks that do not follow each other are errors', async () => {
    const world = await openWorld()
    const { api, client, store } = world
    const trades = [5, 30, 58].flatMap((n) => tradesOf(n, [[{ hops: [PLAIN], trader: 1, settledFor: 1 }]], 1))
    const times = { fromTime: timeOf(1), toTime: timeOf(FINAL) }
    await store.commitHistory({ from: 1, to: FINAL, ...times, trades, pools: POOLS, tokens: [] })
    await api.committed()
    await expectEvents(client, [1, FINAL], trades)
    const second = Math.floor(timeOf(30) / DAY_S) * DAY_S
    expect(timeOf(5) < second && second < timeOf(30)).toBe(true)
    await api.owner.query('INSERT INTO kept_days (since) VALUES (to_timestamp($1) AT TIME ZONE $2)', [second, 'UTC'])
    await api.owner.query('DELETE FROM swap WHERE block_time < to_timestamp($1)', [second])
    await api.committed()
    for (const [from, to] of [
      [1, 4],
      [5, 5],
      [6, 58],
      [30, 30],
    ] as const) {
      await expect(client.events(from, to)).rejects.toThrow(
        '404: {"error":"some of these blocks may have been deleted"}',
      )
    }
    await expectEvents(client, [31, FINAL], trades)
    const swap = { network: 'bsc', time: timeOf(58), sell: ONE, buy: TWO } as const
    const many = Array.from({ length: 5_001 }, (_, n) => ({ ...swap, block: n < 2 ? 58 : 59, transaction: n + 1 }))
    await seedSwaps(api.owner, many)
    await api.committed()
    await expect(client.events(58, 59)).rejects.toThrow(
      '400: {"error":"more than 5000 trades or liquidity events: ask for fewer blocks"}',
    )
    await expectEvents(client, [58, 58], trades)
    await expectEvents(client, [59, 59], trades)
    await seedLiquidity(api.owner, [{ network: 'bsc', block: 57, time: timeOf(57), pool: present(POOLS[0]).address }])
    await api.owner.query(
      `INSERT INTO liquidity_event SELECT (jsonb_populate_record(stored, jsonb_build_object('log_index', n))).*
       FROM liquidity_event AS stored, generate_series(1, 5000) AS n`,
    )
    await api.committed()
    await expect(client.events(56, 57)).rejects.toThrow('400: {"error":"more than 5000 trades or liquidity events')
    await expectEvents(client, [57, 57], [])
    await expect(client.events(59, 58)).rejects.toThrow('400')
    await expect(client.events(-1, 58)).rejects.toThrow('400')
    await expect(client.events(59, FINAL + 1)).rejects.toThrow('503')
    await expect(client.events(0, 58)).rejects.toThrow('404: {"error":"the first indexed block is 1"}')
  })

  it('are counted where the protocol has no form for them', async () => {
    const { api, store } = await openWorld()
    const hops = [PLAIN, { ...PLAIN, amountOut: 0n }, { ...PLAIN, of: 4 }]
    const trades = tradesOf(9, [[{ hops, trader: 1, settledFor: 1 }]], 1)
    const times = { fromTime: timeOf(1), toTime: timeOf(FINAL) }
    const moves = [moveOf(5, 1), moveOf(7, 1), moveOf(12, 1)]
    await store.commitHistory({ from: 1, to: FINAL, ...times, trades, moves, pools: POOLS, tokens: [] })
    await api.committed()
    const { body, headers } = await api.get('/adapters/dexscreener/bsc/events?fromBlock=1&toBlock=60')
    expect([body.events.length, headers.get('x-left-out-events')]).toEqual([2, '4'])
  })
})

const PLAIN = { of: 0, pair: 0, isInOrder: true, amountIn: 10n ** 18n, amountOut: 2_500_000n }

describe("DEX Screener's adapter", () => {
  it('has the supply of a token if it is known, and its address where the contract has no name', async () => {
    const { api, client } = await openWorld()
    const path = '/adapters/dexscreener/bsc'
    expect((await api.get(`${path}/asset?id=${TWO}`)).body).toEqual({
      asset: { id: checksumAddress(TWO), name: 'Token', symbol: 'T', totalSupply: '123.45678900' },
    })
    expect((await api.get(`${path}/asset?id=${THREE}`)).body).toEqual({
      asset: { id: checksumAddress(THREE), name: checksumAddress(THREE), symbol: checksumAddress(THREE) },
    })
    await expect(client.pair(hexNumber(0x404))).rejects.toThrow('404')
    for (const [what, status] of [
      [`asset?id=${hexNumber(0x404)}`, 404],
      ['asset?id=WBNB', 400],
      ['pair?id=0x1', 400],
      ['pair', 400],
    ] as const) {
      expect([what, (await api.get(`${path}/${what}`)).status]).toEqual([what, status])
    }
    expect((await api.get('/adapters/dexscreener/eth/latest-block')).status).toBe(404)
    expect((await api.get('/adapters/dexscreener/doge/latest-block')).status).toBe(400)
  })
})
