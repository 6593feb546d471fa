import type { Address, PoolState } from '@dexfeed/dex'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import { readMarket } from '@dexfeed/test-setup/read-market'
import { hexNumber, seedMove, seedNetwork, seedPool, seedState, seedTick, seedTokens } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openReader, type Reader } from '../src/index.ts'
import { emptyTables } from './rows/empty-tables.ts'
import { readMoves, versionOf } from './rows/read-changes.ts'
import { open } from './rows/sample.ts'

const POOLS = 7
const poolAt = (at: number): Address => hexNumber(0x900 + at)
const pair = (reserve: number): PoolState => ({ kind: 'pair', reserve0: BigInt(reserve), reserve1: 5n })
const curve: PoolState = { kind: 'concentrated', sqrtPriceX96: 2n ** 159n, tick: -7, liquidity: 2n ** 127n }
const moving: PoolState = { ...curve, fee: { zeroForOne: 1, oneForZero: 20_000, exact: true } }
const inexact: PoolState = { ...curve, fee: { zeroForOne: 1, oneForZero: 1, exact: false } }
const stateAt = (at: number, block: number) =>
  [pair(block), curve, pair(block), moving, pair(block), inexact][at] ?? pair(block)

const marketOf = async () => (await readMarket(reader, 'eth')) ?? expect.fail()

const CUT_READERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'test-reader'`

let owner: Client
let url: string
let database: Database
let reader: Reader

beforeAll(async () => {
  url = await testDatabase()
  database = await open(url, { applicationName: 'test-reader', readOnly: true, max: 3 })
  owner = await connectTo(url)
  reader = openReader(database, { marketPageRows: 2 })
})

beforeEach(async () => {
  await emptyTables(owner)
  await seedNetwork(owner, { network: 'eth', wrapped: hexNumber(1), start: { number: 1, time: 1_000 } })
  for (let at = 0; at < POOLS; at++) {
    const kind = at % 2 === 1 ? { tickSpacing: 10 } : {}
    await seedPool(owner, { network: 'eth', address: poolAt(at), token0: hexNumber(2), token1: hexNumber(3), ...kind })
    for (const block of [10, 20, 30]) {
      await seedState(owner, { network: 'eth', pool: poolAt(at), block, state: stateAt(at, block) })
    }
    if (at % 2 === 0) continue
    for (const tick of [-20, -10, 0, 10, 20]) {
      for (const block of [10, 20]) {
        const gross = tick === 0 && block === 20 ? 0n : BigInt(block)
        await seedTick(owner, { network: 'eth', pool: poolAt(at), block, tick, gross, net: -gross })
      }
    }
  }
})

describe('market', () => {
  it('is read with the newest version of everything, over pages of any size', async () => {
    const small = await readMarket(reader, 'eth')
    const large = await readMarket(openReader(database), 'eth')
    expect(small).toEqual(large)
    expect(small?.pools.map(({ address }) => address).toSorted()).toEqual(
      Array.from({ length: POOLS }, (_, at) => poolAt(at)),
    )
    expect(small?.states).toHaveLength(POOLS)
    expect(small?.states[0]).toEqual({ pool: poolAt(0), blockNumber: 30, state: pair(30) })
    for (const at of [1, 3, 5]) {
      expect(small?.states[at]).toEqual({ pool: poolAt(at), blockNumber: 30, state: stateAt(at, 30) })
    }
  })

  it('has the ended ticks, too, since a rollback could restore them', async () => {
    const market = await readMarket(reader, 'eth')
    expect(market?.ticks.filter(({ pool }) => pool === poolAt(1))).toEqual(
      [-20, -10, 0, 10, 20].map((tick) => {
        const gross = tick === 0 ? 0n : 20n
        return { pool: poolAt(1), tick, blockNumber: 20, gross, net: -gross }
      }),
    )
  })

  it('fails with a retryable error wherever its connection is cut', async () => {
    let cut = 0
    for (let at = 0; at < 16; at++) {
      const cutting: Promise<unknown>[] = []
      const cutOnce = () => {
        if (cutting.length === 0 && at % 8 <= pages++) cutting.push(owner.query(CUT_READERS))
      }
      let pages = 0
      const take = { begin: cutOnce, pools: cutOnce, ticks: cutOnce }
      const outcome = await openReader(database, { marketPageRows: 1 })
        .market('eth', take)
        .catch((error: unknown) => error)
      await Promise.all(cutting)
      if (outcome === true) continue
      expect(outcome).toMatchObject({ name: 'StoreError', retryable: true })
      cut++
    }
    expect(cut).toBeGreaterThan(0)
  })

  it('is null for a network that is not indexed', async () => {
    expect(await readMarket(reader, 'bsc')).toBeNull()
    await owner.query('UPDATE network SET active = false')
    expect(await readMarket(reader, 'eth')).toBeNull()
  })
})

describe('changes of a market', () => {
  it('are empty while nothing has changed', async () => {
    const { network } = await marketOf()
    expect(await reader.marketChanges('eth', versionOf(network))).toMatchObject({ states: [], ticks: [] })
  })

  it('are the newest versions of what was written since, ended ticks included', async () => {
    const { network } = await marketOf()
    await seedState(owner, { network: 'eth', pool: poolAt(2), block: 31, state: pair(31) })
    await seedState(owner, { network: 'eth', pool: poolAt(2), block: 32, state: pair(32) })
    await seedTick(owner, { network: 'eth', pool: poolAt(1), block: 32, tick: 10, gross: 0n, net: 0n })
    const changes = await reader.marketChanges('eth', versionOf(network))
    expect(changes?.states).toEqual([{ pool: poolAt(2), blockNumber: 32, state: pair(32) }])
    expect(changes?.ticks).toEqual([{ pool: poolAt(1), blockNumber: 32, tick: 10, gross: 0n, net: 0n }])
    expect(changes?.network.revision).toBe(network.revision + 2)
  })

  it('are, after rollbacks, everything of the pools that are known above the lowest ancestor', async () => {
    const { network } = await marketOf()
    await owner.query('UPDATE network SET reorgs = reorgs + 2, revision = revision + 2')
    await owner.query('INSERT INTO network_rollback VALUES (1, 1, 25), (1, 2, 15)')
    await owner.query('DELETE FROM pool_state WHERE block_number > 15')
    await owner.query('DELETE FROM pool_tick WHERE block_number > 15')
    await seedState(owner, { network: 'eth', pool: poolAt(2), block: 16, state: pair(16) })
    const requested: number[] = []
    const poolsAbove = (block: number) => {
      requested.push(block)
      return [poolAt(0), poolAt(1), hexNumber(0x999)]
    }
    const changes = await reader.marketChanges('eth', { ...versionOf(network), poolsAbove })
    expect(requested).toEqual([15])
    expect(changes?.states).toEqual([{ pool: poolAt(2), blockNumber: 16, state: pair(16) }])
    expect(changes?.rollback).toEqual({
      ancestor: 15,
      pools: [poolAt(0), poolAt(1), hexNumber(0x999)],
      states: [0, 1].map((at) => ({ pool: poolAt(at), blockNumber: 10, state: stateAt(at, 10) })),
      ticks: [-20, -10, 0, 10, 20].map((tick) => ({ pool: poolAt(1), tick, blockNumber: 10, gross: 10n, net: -10n })),
    })
    const later = await reader.marketChanges('eth', versionOf(changes?.network ?? expect.fail()))
    expect(later).toMatchObject({ rollback: null, states: [] })
  })

  it('are null after a rollback that left no state', async () => {
    const { network } = await marketOf()
    await owner.query('UPDATE network SET reorgs = reorgs + 1')
    await owner.query('INSERT INTO network_rollback VALUES (1, 1, -1)')
    expect(await reader.marketChanges('eth', versionOf(network))).toBeNull()
  })

  it('are null after a rollback that is no longer recorded', async () => {
    const { network } = await marketOf()
    await owner.query('UPDATE network SET reorgs = reorgs + 1')
    expect(await reader.marketChanges('eth', versionOf(network))).toBeNull()
  })
})

describe('the data for the tokens that routes may use', () => {
  const DAY = 86_400
  const HEAD = 30 * DAY
  const blockAt = (block: number) => ({ network: 'eth' as const, block, time: block * DAY, token: hexNumber(block) })
  const chain = (covered: readonly (readonly [number, number, number, number])[]) => ({
    network: 'eth' as const,
    wrapped: hexNumber(1),
    start: { number: 1, time: 1_000 },
    head: { number: 30, time: HEAD },
    covered,
  })
  const blocksOf = (moves: readonly { blockNumber: number }[] | undefined) =>
    moves?.map(({ blockNumber }) => blockNumber)

  it('are the moves of the week before the head, over pages of any size', async () => {
    await seedNetwork(owner, chain([[1, 30, DAY, HEAD]]))
    for (let block = 20; block <= 30; block++) {
      await seedMove(owner, { ...blockAt(block), trader: hexNumber(block % 3), whole: block % 2 === 0 })
    }
    const { network } = await marketOf()
    const moves = await readMoves(reader, network)
    expect(moves).toEqual(await readMoves(openReader(database), network))
    expect(blocksOf(moves)).toEqual([24, 25, 26, 27, 28, 29, 30])
    expect(moves[1]).toEqual({
      blockNumber: 25,
      transactionIndex: 0,
      timestamp: 25 * DAY,
      token: hexNumber(25),
      trader: hexNumber(1),
      isWhole: false,
    })
  })

  it('cover only newly covered blocks, even if no pool has changed', async () => {
    await seedNetwork(owner, chain([[28, 30, 28 * DAY, HEAD]]))
    const { network } = await marketOf()
    for (const block of [2, 25, 27, 29]) await seedMove(owner, { ...blockAt(block), trader: hexNumber(1) })
    await seedNetwork(
      owner,
      chain([
        [1, 2, DAY, 2 * DAY],
        [26, 30, 26 * DAY, HEAD],
      ]),
    )
    const { network: now } = await marketOf()
    expect(blocksOf(await readMoves(reader, now, network.covered))).toEqual([27])
    expect(blocksOf(await readMoves(reader, now))).toEqual([27, 29])
  })

  it('hold nothing before the first block, except the tokens that need no proof', async () => {
    await seedMove(owner, { ...blockAt(2), trader: hexNumber(1) })
    await seedTokens(owner, 'eth', [
      { address: hexNumber(7), symbol: 'A', name: 'A', decimals: 18, symbols: ['A', 'ALSO'] },
      { address: hexNumber(8), symbol: 'A', name: 'false A', decimals: 18 },
    ])
    await owner.query(`UPDATE network SET anchors = ARRAY['\\x${hexNumber(6).slice(2)}'::bytea]`)
    const market = await marketOf()
    expect(await readMoves(reader, market.network)).toEqual([])
    expect(market.trusted).toEqual([hexNumber(1), hexNumber(6), hexNumber(7)])
  })
})

it('the revision changes with every commit, and only then', async () => {
  const before = await reader.revision()
  const open = await connectTo(url)
  await open.query('BEGIN')
  await open.query('UPDATE network SET degraded = $1', ['any'])
  const during = await reader.revision()
  await open.query('COMMIT')
  const after = await reader.revision()
  expect([before, during]).not.toContain(after)
  // Tests that run in parallel write to other databases of the server.
  const isSame = async () => {
    const revision = await reader.revision()
    return revision === (await reader.revision())
  }
  await expect.poll(isSame).toBe(true)
})
