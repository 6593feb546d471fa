import { NETWORKS } from '@dexfeed/dex'
import { openReader } from '@dexfeed/store'
import { describe, expect, it } from 'vitest'
import {
  address,
  deployment,
  filling,
  following,
  header,
  headers,
  MIDNIGHT,
  movesOf,
  POOL,
  TOKEN,
  trade,
} from './rows/sample.ts'
import { database, fill, follow, lease, rows, startOver, store, useStore } from './rows/scene.ts'

// Cells have 32 blocks: 0 to 31, 32 to 63, ...

useStore('eth', 4, 100)

const DAY = 86_400
const at = (block: number) => trade(block, MIDNIGHT + block)
const OTHER = { address: address(2), symbol: 'TWO', name: 'Token two', decimals: 6 }
const times = { fromTime: MIDNIGHT + 1, toTime: MIDNIGHT + 90 }

function versions() {
  return openReader(database).listSnapshot(new AbortController().signal, async (snapshot) => {
    const [network] = snapshot.networks
    if (network === undefined) throw new Error('there is a network')
    return { network: network.listVersion, cells: await snapshot.cellVersions(network) }
  })
}

/** Returns the cells whose version changes during `work`. */
async function changed(work: () => Promise<unknown>): Promise<number[]> {
  const before = await versions()
  await work()
  const after = await versions()
  expect(after.network).toBe(before.network)
  return [...after.cells.keys()]
    .filter((cell) => after.cells.get(cell) !== before.cells.get(cell))
    .sort((a, b) => a - b)
}

describe('a new version is given to the cells', () => {
  it('of the trades that history adds, and to no other cell', async () => {
    expect(await changed(() => fill(1, 90, [at(3), at(4), at(70)], times))).toEqual([0, 2])
    expect(await changed(() => fill(91, 99, [at(95)]))).toEqual([2])
    expect(await changed(() => fill(100, 120))).toEqual([])
  })

  it('except those that the follower adds to or rolls back', async () => {
    expect(await changed(() => follow(headers(101, 102), [at(101), at(102)]))).toEqual([])
    const branch = following(lease.epoch, [header(102, MIDNIGHT + 103, 1, 0)], [at(102)], { rollbackTo: 101 })
    expect(await changed(() => store.commitHead(branch))).toEqual([])
  })

  it('of a range that is replaced, even if rows are only deleted', async () => {
    await fill(1, 90, [at(3), at(40)], times)
    const nothing = { trades: [], pools: [], tokens: [], times: new Map<number, number>() }
    expect(await changed(() => store.replaceRange({ from: 30, to: 41, ...nothing }))).toEqual([0, 1])
  })

  it('of values that are settled', async () => {
    const value = { usdE8: 150_000_000n, source: 'stablecoin', flags: 0 } as const
    const waiting = trade(40, MIDNIGHT + 40, { usdE8: null, source: null, awaited: value })
    await fill(1, 90, [at(3), waiting], { ...times, tokens: [TOKEN, OTHER] })
    expect(await changed(() => store.settleAwaitedValues([]))).toEqual([1])
  })

  it('of trades whose tokens have a name from now on, even if no value waits for them', async () => {
    await fill(1, 90, [at(3), at(70)], { ...times, tokens: [TOKEN] })
    const stranger = { ...OTHER, address: address(999) }
    expect(await changed(() => store.settleAwaitedValues([stranger]))).toEqual([])
    expect(await changed(() => store.settleAwaitedValues([OTHER]))).toEqual([0, 2])
  })

  it('of liquidity in pools of such tokens', async () => {
    const late = (n: number) => ({ ...OTHER, address: address(900 + n) })
    const pool = (n: number, of: object) => ({ ...POOL, address: address(800 + n), ...of })
    const pools = [
      pool(0, { token0: late(0).address }),
      pool(1, { token1: late(1).address }),
      pool(2, { coins: [POOL.token0, POOL.token1, late(2).address] }),
    ]
    const moves = movesOf([at(3), at(40), at(70)]).map((move, n) => ({ ...move, pool: pool(n, {}).address }))
    await fill(1, 90, [], { ...times, moves, pools })
    for (const n of [0, 1, 2]) expect(await changed(() => store.settleAwaitedValues([late(n)]))).toEqual([n])
    expect(await changed(() => store.settleAwaitedValues([late(3)]))).toEqual([])
  })

  it('unless they are too old for a list; and old ones are deleted', async () => {
    const old = MIDNIGHT - 3 * DAY
    await fill(1, 10, [at(3)])
    expect([...(await versions()).cells.keys()]).toEqual([0])
    await follow([header(101, MIDNIGHT + 1.2 * DAY)])
    await store.pruneStates(-1)
    expect((await versions()).cells.size).toBe(0)
    const range = filling(30, 90, [trade(40, old)], { fromTime: old, toTime: old })
    expect(await changed(() => store.commitHistory(range))).toEqual([])
  })
})

describe('a new version is given to the network', () => {
  it('by a rollback below the final block', async () => {
    await fill(1, 99, [at(3), at(70)], times)
    const before = await versions()
    await store.rollBackBelowFinal(lease.epoch, { number: 50, timestamp: MIDNIGHT + 50 }, [])
    expect((await versions()).network).not.toBe(before.network)
  })

  it('if a curated token gets another name, and not if nothing changes', async () => {
    const configure = async (symbol: string) => {
      const [token] = deployment('eth').tokens
      if (token === undefined) throw new Error('there is a token')
      const tokens = [{ ...token, symbol }]
      await store.configure(lease.epoch, { ...deployment('eth'), tokens })
      return (await versions()).network
    }
    const first = await configure('WPOL')
    expect(await configure('WPOL')).toBe(first)
    expect(await configure('WPOL2')).not.toBe(first)
  })
})

it('versions are random: another database has different ones', async () => {
  const version = () => rows('SELECT list_version FROM network WHERE chain_id = $1', [NETWORKS.eth.chainId])
  const before = await version()
  await startOver()
  expect(await version()).not.toEqual(before)
})
