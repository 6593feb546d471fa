import { dayOf, type MovingFee, type PoolStateAt, type TickLiquidityAt } from '@dexfeed/dex'
import { BlocksNotLinked, HeadMoved } from '@dexfeed/store'
import { describe, expect, it } from 'vitest'
import { address, curve, following, hash, header, headers, MIDNIGHT, POOL, pair, tick, trade } from './rows/sample.ts'
import { database, fill, follow, lease, rows, store, useStore } from './rows/scene.ts'

useStore('eth', 3)

function moved({ state, ...at }: PoolStateAt, fee: MovingFee): PoolStateAt {
  if (state.kind !== 'concentrated') throw new Error('a pair has one fee')
  return { ...at, pool: address(0xa4), state: { ...state, fee } }
}

/** Commits states that were read at their own block. */
function snapshot(head: number, states: readonly PoolStateAt[], ticks: readonly TickLiquidityAt[]) {
  const read = states.map((at) => ({ ...at, readAt: at.blockNumber }))
  return store.commitPoolStates({ epoch: lease.epoch, headHash: hash(head), states: read, ticks })
}

/** `tick block gross net`, in order. */
async function ticks(): Promise<string[]> {
  const line = "concat_ws(' ', tick, block_number, gross, net) AS line"
  return (await rows(`SELECT ${line} FROM pool_tick ORDER BY tick, block_number`)).map(({ line }) => line)
}

async function versions(): Promise<number[]> {
  return (await rows('SELECT block_number::int AS number FROM pool_state ORDER BY 1')).map(({ number }) => number)
}

describe('pool states', () => {
  it('read back as they were written, whatever their size', async () => {
    const huge = { ...pair(2, 2n ** 112n - 1n), pool: hash(9) }
    const moving = moved(curve(1), { zeroForOne: 0, oneForZero: 999_999, exact: false })
    const all = [pair(1), curve(1), huge, moving]
    await follow(headers(1, 2), [], { poolStates: all })
    const states = await store.loadPoolStates()
    expect(states).toHaveLength(4)
    expect(states).toEqual(expect.arrayContaining(all))
  })

  it('of formulas read back as they were written, known or not, also by a version that lacks the formula', async () => {
    const values = [0n, -5n, 2n ** 256n - 1n, -(2n ** 255n)]
    const formula = { kind: 'formula', formula: 'psm', values, freshUntil: null } as const
    const all: PoolStateAt[] = [
      { pool: POOL.address, blockNumber: 1, state: formula },
      { pool: hash(9), blockNumber: 2, state: { ...formula, freshUntil: MIDNIGHT + 60 } },
      { pool: hash(8), blockNumber: 2, state: { ...formula, values: null } },
    ]
    await follow(headers(1, 2), [], { poolStates: all })
    expect(await store.loadPoolStates()).toEqual(expect.arrayContaining(all))
    await database.pool.query(`UPDATE pool_state SET formula = 'of-a-later-version' WHERE fresh_until IS NOT NULL`)
    const states = (await store.loadPoolStates()).map(({ state }) => state)
    expect(states.filter((state) => state.kind === 'formula' && state.values !== null)).toEqual([formula])
  })

  it('carry the revision of their commit, which counts only commits that change any', async () => {
    await follow(headers(1), [], { poolStates: [pair(1)] })
    await follow(headers(2))
    await follow(headers(3), [], { tickDeltas: [tick(3, 60, 5n)] })
    const { rows } = await database.pool.query(
      'SELECT (SELECT revision FROM pool_state) AS state, (SELECT revision FROM pool_tick) AS tick, revision FROM network',
    )
    expect(rows).toEqual([{ state: '1', tick: '2', revision: '2' }])
  })

  it('are pruned below the newest final version, and no further while the final block stays', async () => {
    const blocks = headers(1, 6)
    const other = { ...pair(3), pool: hash(9) }
    const poolStates = [...[1, 2, 4, 6].map((number) => pair(number)), other]
    await follow(blocks, [], { poolStates })
    expect(await store.pruneStates(-1)).toBe(0)
    await follow(headers(7), [], { finalNumber: 5 })
    expect(await versions()).toEqual([1, 2, 3, 4, 6])
    expect(await store.pruneStates(0)).toBe(5)
    expect(await versions()).toEqual([3, 4, 6])
    expect((await store.reorgableBlocks()).map(({ number }) => number)).toEqual([5, 6, 7])
    await follow(headers(8), [], { finalNumber: 7, poolStates: [pair(8)] })
    expect(await store.pruneStates(5)).toBe(7)
    expect(await versions()).toEqual([3, 6, 8])
  })

  it('are found from the beginning if they were never pruned', async () => {
    await follow(headers(1, 4), [], { poolStates: [1, 2, 3, 4].map((number) => pair(number)) })
    await follow(headers(5), [], { finalNumber: 3 })
    expect(await store.pruneStates(-1)).toBe(3)
    expect(await versions()).toEqual([3, 4])
  })
})

describe('ticks', () => {
  it('grow by what each block changes, on top of the newest version', async () => {
    const deltas = [tick(1, 60, 10n), tick(2, 60, 5n, -5n), tick(2, -60, 7n), tick(2, 60, 1n)]
    await follow(headers(1, 2), [], { tickDeltas: deltas })
    await follow(headers(3), [], { tickDeltas: [tick(3, 60, -16n, -6n)] })
    expect(await ticks()).toEqual(['-60 2 7 7', '60 1 10 10', '60 2 16 6', '60 3 0 0'])
  })

  it('that would fall below zero are refused with their commit', async () => {
    const commit = following(lease.epoch, headers(1), [], { tickDeltas: [tick(1, 60, -1n)] })
    await expect(store.commitHead(commit)).rejects.toMatchObject({ name: 'StoreError', retryable: false })
    expect(await store.coveredRanges()).toEqual([])
  })

  it('are pruned like states; the newest version stays, even if the tick has ended', async () => {
    const deltas = [tick(1, 60, 10n), tick(2, 60, -10n), tick(2, 120, 3n)]
    await follow(headers(1, 3), [], { tickDeltas: deltas })
    await follow(headers(4), [], { finalNumber: 3, tickDeltas: [tick(4, 60, 1n), tick(4, 120, 1n)] })
    await store.pruneStates(-1)
    expect(await ticks()).toEqual(['60 2 0 0', '60 4 1 1', '120 2 3 3', '120 4 4 4'])
  })
})

describe('a snapshot', () => {
  it('is of the head, and later blocks change it', async () => {
    await follow(headers(1))
    await snapshot(1, [curve(1)], [tick(1, -60, 9n), tick(1, 60, 9n, -9n)])
    await follow(headers(2), [], { tickDeltas: [tick(2, 60, 1n, -1n)] })
    expect(await store.loadPoolStates()).toEqual([curve(1)])
    expect(await ticks()).toEqual(['-60 1 9 9', '60 1 9 -9', '60 2 10 -10'])
    expect(await store.networkRow()).toMatchObject({ revision: 2 })
  })

  it('replaces the stored ticks of its pool', async () => {
    const deltas = [tick(1, 60, 1n), tick(1, 120, 1n), tick(1, 180, 1n), tick(2, 180, -1n, -1n)]
    await follow(headers(1, 2), [], { tickDeltas: deltas })
    await snapshot(2, [curve(2)], [tick(2, 120, 8n)])
    expect(await ticks()).toEqual(['60 1 1 1', '60 2 0 0', '120 1 1 1', '120 2 8 8', '180 1 1 1', '180 2 0 0'])
  })

  it('of another block than the head is refused', async () => {
    await follow(headers(1, 2))
    await expect(snapshot(1, [pair(1)], [])).rejects.toBeInstanceOf(HeadMoved)
    expect(await store.loadPoolStates()).toEqual([])
  })

  it('is rolled back with its block', async () => {
    await follow(headers(1, 2))
    await snapshot(2, [curve(2)], [tick(2, 60, 1n)])
    await follow([header(2, MIDNIGHT, 1, 0)], [], { rollbackTo: 1 })
    expect(await store.loadPoolStates()).toEqual([])
    expect(await ticks()).toEqual([])
  })
})

//  stored   1 - 2 (final) - 3 - 4     without headers, 3 and 4 may be orphaned
it('a follower that starts over deletes states, headers, and rows that were not final, which history re-reads', async () => {
  const blocks = headers(1, 4)
  const trades = blocks.map(({ number, timestamp }) => trade(number, timestamp))
  const states = { poolStates: [pair(1)], tickDeltas: [tick(1, 60, 1n)] }
  await follow(blocks, trades, { ...states, finalNumber: 2 })
  await store.dropPoolStates(lease.epoch)
  expect([await store.loadPoolStates(), await store.reorgableBlocks(), await ticks()]).toEqual([[], [], []])
  expect(await store.coveredRanges()).toMatchObject([{ from: 1, to: 2 }])
  expect((await store.storedTrades({ from: 1, to: 4 })).map(({ blockNumber }) => blockNumber)).toEqual([1, 2])
  expect(await store.compareDay(dayOf(MIDNIGHT))).toEqual([])
  expect(await store.networkRow()).toMatchObject({ revision: 2, reorgs: 1, head: { number: 4 }, finalNumber: 2 })
  await store.noteFinal(lease.epoch, 9)
  await fill(3, 4, trades.slice(2))
  expect(await store.coveredRanges()).toMatchObject([{ from: 1, to: 4 }])
})

describe('headers', () => {
  it('that do not continue what is stored, or each other, are refused with their commit', async () => {
    await follow(headers(1, 2))
    for (const blocks of [[header(3, MIDNIGHT + 3, 1)], [header(3, MIDNIGHT + 3), header(4, MIDNIGHT + 4, 1)]]) {
      const refused = follow(blocks)
      await expect(refused).rejects.toBeInstanceOf(BlocksNotLinked)
      await expect(refused).rejects.toMatchObject({ retryable: true })
    }
    expect(await store.reorgableBlocks()).toEqual(headers(1, 2))
    await follow(headers(3, 4))
  })

  it('are compared with the last committed head if its own header is not stored', async () => {
    const final = following(lease.epoch, headers(1, 2), [], { finalNumber: 2 })
    await store.commitHead({ ...final, live: final.live && { ...final.live, blocks: [] } })
    expect(await store.reorgableBlocks()).toEqual([])
    await expect(follow([header(3, MIDNIGHT + 3, 1)])).rejects.toBeInstanceOf(BlocksNotLinked)
    await follow(headers(3))
  })
})
