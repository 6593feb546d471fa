import { type Chain, openChain } from '@dexfeed/chain'
import type { Database, IndexerStore } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { beforeEach, expect, test } from 'vitest'
import { openNetworkContext } from '../src/blocks/network-context.ts'
import { watchedTopics } from '../src/blocks/process-blocks.ts'
import { type CheckedPart, RangeChecker } from '../src/verify/range-checker.ts'
import { quiet } from './scene/made-values.ts'
import { openStore } from './scene/open-store.ts'
import { type ScriptedScene, scriptedScene } from './scene/scripted-scene.ts'

let scene: ScriptedScene
let databaseUrl: string
let database: Database
let store: IndexerStore
let chain: Chain

beforeEach(async () => {
  scene = await scriptedScene('eth', 100)
  databaseUrl = await scene.indexed()
  ;({ database, store } = await openStore(databaseUrl))
  const topics = watchedTopics(scene.deployment)
  const client = openChain({ network: 'eth', urls: [scene.rpcUrl], topics, pollMs: 1_000, log: quiet })
  closeAfter(() => client.close())
  chain = client
})

/** Checks and repairs the final blocks up to `to`. Each read omits the blocks that `drops` selects. */
async function check(
  drops: (block: number, reading: number) => boolean,
  atHead = false,
  deployment = scene.deployment,
  to = Number.POSITIVE_INFINITY,
): Promise<CheckedPart[]> {
  let reading = 0
  const readRange: Chain['readRange'] = async (from, to, options) => {
    const read = await chain.readRange(from, to, options)
    reading++
    return {
      ...read,
      blocks: read.blocks.map((block) => (drops(block.number, reading) ? { ...block, logs: [] } : block)),
    }
  }
  const context = await openNetworkContext(chain, store, deployment)
  const checker = new RangeChecker({ ...context, chain: { readRange }, store, log: quiet, atHead })
  const final = (await store.networkRow())?.finalNumber ?? 0
  const parts: CheckedPart[] = []
  const range = { from: 0, to: Math.min(to, final) }
  for await (const part of checker.check(range, true, AbortSignal.timeout(20_000))) parts.push(part)
  return parts
}

test('another endpoint than that of indexing is read first, and indexing’s own for differences', async () => {
  const calls: (boolean | undefined)[] = []
  const readRange: Chain['readRange'] = async (from, to, options) => {
    calls.push(options?.secondOpinion)
    const read = await chain.readRange(from, to, options)
    return { ...read, blocks: read.blocks.map((block) => (calls.length === 1 ? { ...block, logs: [] } : block)) }
  }
  const context = await openNetworkContext(chain, store, scene.deployment)
  const checker = new RangeChecker({ ...context, chain: { readRange }, store, log: quiet })
  const outcomes: string[] = []
  for await (const { outcome } of checker.check({ from: 30, to: 60 }, false, AbortSignal.timeout(20_000))) {
    outcomes.push(outcome)
  }
  expect(outcomes).toEqual(['equal'])
  expect(calls).toEqual([true, undefined])
})

test('a node that leaves out logs now does not remove correct rows', async () => {
  const before = await dumpTables(databaseUrl)
  const parts = await check((block, reading) => reading === 1 && block > 50)
  expect(parts.map(({ outcome }) => outcome)).toEqual(['equal'])
  expect(await dumpTables(databaseUrl)).toEqual(before)
})

/** Checks these ranges one after the other. The reference logs are incomplete while `lies` returns true. */
async function checkWithReferences(
  lies: (read: { secondOpinion: boolean; from: number }) => boolean,
  ...ranges: { from: number; to: number }[]
): Promise<CheckedPart[]> {
  let from = 0
  const logsOf: Chain['logsOf'] = async (filter) => {
    const logs = await chain.logsOf(filter)
    const isLie = lies({ secondOpinion: filter.secondOpinion === true, from })
    return isLie ? logs.filter(({ blockNumber }) => blockNumber < 20) : logs
  }
  const context = await openNetworkContext({ ...chain, logsOf }, store, scene.deployment)
  const bookBefore = context.freshBookBefore
  const checker = new RangeChecker({ ...context, bookBefore, chain, store, log: quiet })
  const parts: CheckedPart[] = []
  for (const range of ranges) {
    from = range.from
    for await (const part of checker.check(range, true, AbortSignal.timeout(20_000))) parts.push(part)
  }
  return parts
}

test('an endpoint that leaves out logs of reference pools does not revalue correct rows', async () => {
  const before = await dumpTables(databaseUrl)
  const parts = await checkWithReferences(({ secondOpinion }) => !secondOpinion, { from: 50, to: 60 })
  expect(parts.map(({ outcome, recheckFrom }) => [outcome, recheckFrom])).toEqual([['equal', undefined]])
  const other = await checkWithReferences(({ secondOpinion }) => secondOpinion, { from: 50, to: 60 })
  expect(other.map(({ outcome }) => outcome)).toEqual(['equal'])
  expect(await dumpTables(databaseUrl)).toEqual(before)
})

//   50 - .. - 52 | 53 - .. - 60 | 61 - .. - 75
//    wrong rows      right rows
//   -- wrong references -->     | the others differ: check again from 50 on
test('reference prices that prove wrong later name the block from which rows were compared by them', async () => {
  const before = await dumpTables(databaseUrl)
  const [spoiled] = await checkWithReferences(() => true, { from: 50, to: 52 })
  expect(spoiled?.outcome).toBe('repaired')
  expect(await dumpTables(databaseUrl)).not.toEqual(before)
  const isFalse = ({ secondOpinion, from }: { secondOpinion: boolean; from: number }) => !secondOpinion || from < 53
  const parts = await checkWithReferences(isFalse, { from: 50, to: 52 }, { from: 53, to: 60 }, { from: 61, to: 75 })
  const seen = parts.map(({ outcome, recheckFrom }) => [outcome, recheckFrom])
  expect(seen).toEqual([
    ['equal', undefined],
    ['equal', 50],
    ['equal', undefined],
  ])
  const [repaired] = await checkWithReferences(() => false, { from: 50, to: 52 })
  expect(repaired?.outcome).toBe('repaired')
  expect((await dumpTables(databaseUrl)).swap).toEqual(before.swap)
})

test('liquidity events that are missing, invented or changed are found and repaired', async () => {
  const before = await dumpTables(databaseUrl)
  const isFinal = 'block_number <= (SELECT final_number FROM network)'
  for (const change of [
    `DELETE FROM liquidity_event WHERE ${isFinal} AND block_number % 3 = 0`,
    `UPDATE liquidity_event SET amounts = '{1,2}' WHERE ${isFinal} AND block_number % 3 = 1`,
    `INSERT INTO liquidity_event SELECT block_time, block_number, chain_id, log_index + 1000, transaction_index,
       tick_lower, tick_upper, added, tx_hash, account, pool, amounts, liquidity, value_usd
     FROM liquidity_event WHERE ${isFinal} AND block_number % 3 = 2`,
  ]) {
    expect((await database.pool.query(change)).rowCount, change).toBeGreaterThan(0)
    expect((await check(() => false)).map(({ outcome }) => outcome)).toEqual(['repaired'])
    expect(await dumpTables(databaseUrl)).toEqual(before)
  }
})

test('if the nodes contradict each other, nothing is changed', async () => {
  await database.pool.query('DELETE FROM swap WHERE block_number < 20')
  const before = await dumpTables(databaseUrl)
  const parts = await check((block, reading) => reading === 1 && block > 50)
  expect(parts.map(({ outcome }) => outcome)).toEqual(['unsettled'])
  expect(await dumpTables(databaseUrl)).toEqual(before)
})

test('differences that two reads agree on are repaired, only in their blocks', async () => {
  const before = await dumpTables(databaseUrl)
  await database.pool.query('UPDATE swap SET flags = flags + 1 WHERE block_number BETWEEN 10 AND 20')
  const [part] = await check(() => false)
  expect(part?.outcome).toBe('repaired')
  expect(part?.pools.length).toBeGreaterThan(0)
  expect((await dumpTables(databaseUrl)).swap).toEqual(before.swap)
})

test('pools of wrong rows from the head are invalidated with the repair, those of history are not', async () => {
  const spoil = () => database.pool.query('UPDATE swap SET flags = flags + 1 WHERE block_number IN (10, 20)')
  await spoil()
  await check(() => false)
  expect(await store.invalidatedPools()).toEqual([])
  await spoil()
  const [part] = await check(() => false, true)
  const pools = (await store.invalidatedPools()).map(({ pool }) => pool)
  expect(pools.sort()).toEqual([...(part?.pools ?? [])].sort())
  expect(new Set((await store.invalidatedPools()).map(({ blockNumber }) => blockNumber))).toEqual(new Set([20]))
})

test('pools whose states are not kept are not invalidated, because they would never be read again', async () => {
  const kinds = async (pools: readonly string[]) => {
    const stored = await store.loadPools()
    return new Set(
      stored.flatMap(({ address, tickSpacing }) => (pools.includes(address) ? [tickSpacing === null] : [])),
    )
  }
  const dexes = scene.deployment.dexes.map((dex) => (dex.kind === 'uniswap-v2' ? { ...dex, feeBps: null } : dex))
  await database.pool.query('UPDATE swap SET flags = flags + 1 WHERE block_number BETWEEN 1 AND 60')
  await check(() => false, true, { ...scene.deployment, dexes })
  expect(await kinds(await store.poolsOfTrades({ from: 1, to: 60 }))).toEqual(new Set([true, false]))
  expect(await kinds((await store.invalidatedPools()).map(({ pool }) => pool))).toEqual(new Set([false]))
})

// The block has no event of the pool, so only the row and the pool's state show the swap.
test('the pool of a swap invented at the head is invalidated when its row is removed', async () => {
  const { rows } = await database.pool.query<{ block: number; address: string }>(
    `SELECT DISTINCT hop.block_number::int AS block, '0x' || encode(address, 'hex') AS address FROM pool
      JOIN swap_hop AS hop ON ('x' || right(encode(address, 'hex'), 16))::bit(64)::bigint = hop.pool_key
      WHERE hop.block_number = (SELECT min(block_number) FROM swap_hop)`,
  )
  const made = rows[0]?.block ?? expect.fail()
  // Its logs also move reference prices, and so the values of later rows.
  await check((block) => block === made, true, scene.deployment, made)
  const invalidated = (await store.invalidatedPools()).map(({ pool }) => pool)
  expect(invalidated.sort()).toEqual(rows.map(({ address }) => address).sort())
  expect(await store.storedTrades({ from: made, to: made })).toEqual([])
})
