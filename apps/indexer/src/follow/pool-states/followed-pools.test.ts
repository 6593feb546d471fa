import type { Chain } from '@dexfeed/chain'
import { type BlockHeader, type Hex, MINUTE, type Pool, type PoolStateAt } from '@dexfeed/dex'
import { scriptedMarket } from '@dexfeed/lab'
import { testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, test } from 'vitest'
import { quiet } from '../../../test/scene/made-values.ts'
import type { RunningIndexer } from '../../../test/scene/run-indexer.ts'
import { type ScriptedScene, scriptedScene } from '../../../test/scene/scripted-scene.ts'
import { PoolCache } from '../../pools/pool-cache.ts'
import { FollowedPools } from './followed-pools.ts'
import { PoolRanks } from './read-order.ts'

const NETWORK = 'eth'
/** Only snapshots call `getReserves()` and `slot0()`. */
const STATE_SELECTORS = ['0x0902f1ac', '0x3850c7bd']

/** A node that holds back its responses about pool states until they are released. */
class HeldNode {
  asked = 0
  #release: () => void = () => undefined
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve
  })

  release(): void {
    this.#release()
  }

  readonly wrap = (chain: Chain): Chain => ({
    ...chain,
    callMany: async (calls, at) => {
      const answers = await chain.callMany(calls, at)
      if (!calls.some(({ data }) => STATE_SELECTORS.includes(data))) return answers
      this.asked++
      await this.#released
      return answers
    },
  })
}

/** Starts a follower whose first snapshot is under way: its calls are sent, and the responses are held back. */
async function whileReading() {
  const scene = await scriptedScene(NETWORK, 60)
  const databaseUrl = await testDatabase()
  const node = new HeldNode()
  const indexer = await scene.index(databaseUrl, { wrap: node.wrap })
  await indexer.follows(scene.head())
  await expect.poll(() => node.asked).toBeGreaterThan(0)
  const endsAsOneThatReadsNow = async () => {
    await indexer.caughtUp(scene.head())
    const [found, expected] = [await dumpTables(databaseUrl), await scene.cleanIndex()]
    expect(expected.pool_tick?.length).toBeGreaterThan(0)
    for (const table of ['pool_state', 'pool_tick']) expect(found[table]).toEqual(expected[table])
  }
  return { scene, node, indexer, endsAsOneThatReadsNow }
}

async function mine(scene: ScriptedScene, indexer: RunningIndexer, blocks: number) {
  for (let i = 0; i < blocks; i++) {
    scene.mine(1)
    await indexer.follows(scene.head())
  }
}

// read at 60:      60 -> 61 -> ... -> 80
//                   `- responds here --^   committed at 80, moved by the events since
test('the head continues while pools are read, and moves the read states', async () => {
  const { scene, node, indexer, endsAsOneThatReadsNow } = await whileReading()
  await mine(scene, indexer, 20)
  node.release()
  await endsAsOneThatReadsNow()
})

// read at 65:  60 -> ... -> 65
//                `-> 61' -> ... -> 70'    responds here: dropped, and read again
test('states read on an orphaned branch are dropped', async () => {
  const { scene, node, indexer, endsAsOneThatReadsNow } = await whileReading()
  scene.reorg(5, 10)
  await indexer.follows(scene.head())
  node.release()
  await endsAsOneThatReadsNow()
})

const { deployment } = scriptedMarket(NETWORK, 24)

const head = (number: number): BlockHeader => ({
  number,
  hash: `0x${String(number).padStart(64, '0')}`,
  parentHash: '0x',
  timestamp: number,
})

const noCode = { runInitCode: async () => null, runsInitCode: () => false }

/** Returns pools of one pair. The chain reports the block number of the call as the reserves. */
function ofOnePair() {
  const dex = deployment.dexes.find(({ kind }) => kind === 'uniswap-v2') ?? expect.fail()
  const [token0, token1, address] = ([1, 2, 3] as const).map((digit): Hex => `0x${String(digit).repeat(40)}`)
  if (token0 === undefined || token1 === undefined || address === undefined) throw new Error('no addresses')
  const pool: Pool = { address, dex, token0, token1, fee: 3_000, tickSpacing: null }
  const node = { isMute: false, now: 0 }
  const callMany: Chain['callMany'] = async (calls, at) => {
    if (node.isMute) return calls.map(() => null)
    return calls.map(() => `0x${String(Number(at).toString(16)).padStart(64, '0').repeat(3)}` as const)
  }
  const known = new PoolCache(deployment, { pools: [pool], tokens: [] })
  const pools = new FollowedPools({
    chain: { callMany, ...noCode },
    known,
    ranks: new PoolRanks(),
    log: quiet,
    now: { now: () => node.now },
  })
  const wrong: PoolStateAt = { pool: address, blockNumber: 9, state: { kind: 'pair', reserve0: 666n, reserve1: 666n } }
  const committed: number[] = []
  const commitAt = async (number: number, leaveOut: readonly Hex[] = []) => {
    await pools.commitSnapshots(head(number), async ({ states }) => {
      committed.push(...states.filter((at) => !leaveOut.includes(at.pool)).map(({ readAt }) => readAt))
      return [...leaveOut]
    })
  }
  const readAt = async (number: number) => {
    pools.hasWork()
    pools.setReadBlock(head(number))
    return pools.read()
  }
  return { pools, address, wrong, committed, commitAt, readAt, node }
}

test('a pool found wrong at a block is read at a later one, and at no other', async () => {
  const { pools, address, wrong, committed, commitAt, readAt } = ofOnePair()
  pools.restart([wrong], [])
  expect(await readAt(10)).toBe(false)
  pools.resync([{ pool: address, blockNumber: 10 }])
  expect(await readAt(10)).toBe(false)
  expect(pools.unread()).toEqual([{ pool: address, place: null }])
  expect(await readAt(11)).toBe(true)
  await commitAt(12)
  expect(committed).toEqual([11])
  expect(pools.unread()).toEqual([])
  expect(await readAt(13)).toBe(false)
})

test('which pools are unread is unknown before the start, and known immediately after it', () => {
  const { pools, address, wrong } = ofOnePair()
  expect(pools.unread()).toBeNull()
  expect(pools.isSettled(address)).toBe(false)
  pools.restart([], [])
  expect(pools.unread()).toEqual([{ pool: address, place: null }])
  pools.restart([wrong], [])
  expect(pools.unread()).toEqual([])
  expect(pools.isSettled(address)).toBe(true)
  expect(pools.isSettled('0x00000000000000000000000000000000000000ff')).toBe(true)
})

test('a read under way when the pool is found wrong counts only if its block is later', async () => {
  const { pools, address, committed, commitAt, readAt } = ofOnePair()
  pools.restart([], [])
  expect(await readAt(11)).toBe(true)
  pools.resync([{ pool: address, blockNumber: 11 }])
  await commitAt(12)
  expect(committed).toEqual([])
  expect(await readAt(12)).toBe(true)
  pools.resync([{ pool: address, blockNumber: 11 }])
  await commitAt(13)
  expect(committed).toEqual([12])
  expect(await readAt(14)).toBe(false)
})

test('of two findings, the later block counts', async () => {
  const { pools, address, readAt } = ofOnePair()
  pools.restart([], [])
  pools.resync([{ pool: address, blockNumber: 11 }])
  pools.resync([{ pool: address, blockNumber: 5 }])
  expect(await readAt(11)).toBe(false)
})

test('a state that was found wrong before a restart, or a rollback, moves nothing', async () => {
  const { pools, address, wrong, readAt } = ofOnePair()
  const fee = { type: 'protocol-fee', family: 'concentrated', pool: address, protocolFee: 0 } as const
  const events = [{ ...fee, transactionIndex: 0, logIndex: 0 }]
  const state = { kind: 'concentrated', sqrtPriceX96: 1n, tick: 0, liquidity: 1n } as const
  const moved = () => pools.changes([{ blockNumber: 10, events }]).poolStates.length
  pools.restart([{ ...wrong, state }], [])
  expect(moved()).toBe(1)
  pools.restart([{ ...wrong, state }], [{ pool: address, blockNumber: 9 }])
  expect(moved()).toBe(0)
  pools.rollBack([{ ...wrong, state }])
  expect(moved()).toBe(0)
  expect(await readAt(10)).toBe(true)
})

test('a snapshot that the commit left out is read again', async () => {
  const { pools, address, committed, commitAt, readAt } = ofOnePair()
  pools.restart([], [])
  expect(await readAt(11)).toBe(true)
  await commitAt(12, [address])
  expect(committed).toEqual([])
  expect(await readAt(13)).toBe(true)
  await commitAt(13)
  expect(committed).toEqual([13])
})

test('one empty response removes no pool from the unread ones: it is read at the next block', async () => {
  const { pools, address, committed, commitAt, readAt, node } = ofOnePair()
  pools.restart([], [])
  node.isMute = true
  expect(await readAt(11)).toBe(true)
  await commitAt(11)
  expect(pools.unread()).toEqual([{ pool: address, place: null }])
  expect(await readAt(11)).toBe(false)
  node.isMute = false
  expect(await readAt(12)).toBe(true)
  await commitAt(12)
  expect(committed).toEqual([12])
  expect(pools.unread()).toEqual([])
})

test('a pool that returns nothing at two blocks, a minute apart, cannot be read, and is retried with growing pauses', async () => {
  const { pools, address, committed, commitAt, readAt, node } = ofOnePair()
  pools.restart([], [])
  node.isMute = true
  const asked: number[] = []
  for (let block = 11; block < 31; block++, node.now += MINUTE / 2) {
    if (await readAt(block)) asked.push(block)
    await commitAt(block)
    expect(pools.unread()).toHaveLength(block < 13 ? 1 : 0)
    expect(pools.isSettled(address)).toBe(block >= 13)
  }
  expect(asked).toEqual([11, 12, 13, 15, 19, 27])
  // A pool found wrong is unread again, whatever it returned before.
  pools.resync([{ pool: address, blockNumber: 30 }])
  expect(pools.unread()).toHaveLength(1)
  node.isMute = false
  node.now += 60 * MINUTE
  expect(await readAt(31)).toBe(true)
  await commitAt(31)
  expect(committed).toEqual([31])
})

test('a pool that cannot be read is asked again after an event that may fill it, and still counts as unreadable', async () => {
  const { pools, address, commitAt, readAt, node } = ofOnePair()
  pools.restart([], [])
  node.isMute = true
  for (let block = 11; block < 31; block++, node.now += MINUTE / 2) {
    await readAt(block)
    await commitAt(block)
  }
  const happened = (type: string) =>
    pools.committed([{ blockNumber: 31, events: [{ type, pool: address } as never] }], { poolStates: [] })
  happened('swap')
  expect(await readAt(31)).toBe(false)
  happened('liquidity')
  expect(await readAt(31)).toBe(true)
  await commitAt(31)
  expect(pools.unread()).toEqual([])
  node.isMute = false
  happened('touch')
  expect(await readAt(32)).toBe(true)
  await commitAt(32)
  expect(pools.isSettled(address)).toBe(true)
})

test('a much traded pool that waits for a later block does not shorten the pauses of the others', async () => {
  const { pools, address, wrong } = ofOnePair()
  pools.restart([wrong], [])
  pools.committed([{ blockNumber: 9, events: [{ type: 'exchange', pool: address } as never] }], {
    poolStates: [wrong],
  })
  pools.resync([{ pool: address, blockNumber: 10 }])
  pools.hasWork()
  pools.setReadBlock(head(10))
  expect(pools.hasTopUnread()).toBe(false)
  pools.setReadBlock(head(11))
  expect(pools.hasTopUnread()).toBe(true)
})

test.each([
  [false, [8, 1]],
  [true, [9]],
])('where code reads ticks (%s) more pools with ticks are read at a time', async (runsCode, expected) => {
  const dex = deployment.dexes.find(({ kind }) => kind === 'uniswap-v3') ?? expect.fail()
  const addressOf = (index: number): Hex => `0x${String(index).padStart(40, '0')}`
  const tokens = { token0: addressOf(98), token1: addressOf(99) }
  // Each pool has 463 words.
  const known = Array.from({ length: 9 }, (_, i) => ({
    address: addressOf(i + 1),
    dex,
    ...tokens,
    fee: 500,
    tickSpacing: 15,
  }))
  const asked: number[] = []
  const callMany: Chain['callMany'] = async (calls) => {
    if (calls.length > 0) asked.push(new Set(calls.map(({ to }) => to)).size)
    return calls.map(() => null)
  }
  const pools = new FollowedPools({
    chain: { callMany, ...noCode, runsInitCode: () => runsCode },
    known: new PoolCache(deployment, { pools: known, tokens: [] }),
    ranks: new PoolRanks(),
    log: quiet,
  })
  pools.restart([], [])
  pools.setReadBlock(head(10))
  expect([await pools.read(), await pools.read()]).toEqual([true, expected.length > 1])
  expect(asked).toEqual(expected)
})
