import type { Chain, PlacedLog } from '@dexfeed/chain'
import { type Address, decodersOf, type Hex, type PoolAddress } from '@dexfeed/dex'
import { id } from 'ethers'
import { expect, test } from 'vitest'
import { KeySearch, KeysNotFound } from './key-search.ts'

const MANAGER: Address = `0x${'4a'.repeat(20)}`
const TOPIC = id('Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)') as Hex
const word = (value: number) => value.toString(16).padStart(64, '0')
const idOf = (n: number): Hex => `0x${word(n)}`
const wanted = (n: number) => ({
  pool: `${MANAGER}${word(n)}` as PoolAddress,
  keyLog: { address: MANAGER, topic: TOPIC },
})

/** The Initialize of pool n, whose fee is n. */
function madeAt(blockNumber: number, n: number): PlacedLog {
  return {
    address: MANAGER,
    topics: [TOPIC, idOf(n), idOf(0), idOf(1)],
    data: `0x${[n, 10, 0, 1, 0].map(word).join('')}`,
    transactionIndex: 0,
    logIndex: 0,
    blockNumber,
    blockHash: '0x',
    transactionHash: '0x',
  }
}

/** A chain of nothing but these logs; notes what it is asked. */
function fakeChain(headNumber: number, logs: PlacedLog[]) {
  const asked: [number, number][] = []
  const world = { headNumber, logs, asked, failing: false }
  const chain: Pick<Chain, 'head' | 'logsOf'> = {
    head: async () => ({ number: world.headNumber, hash: '0x', parentHash: '0x', timestamp: 0 }),
    async logsOf({ addresses, topics, from, to }) {
      expect({ addresses, topics }).toEqual({ addresses: [MANAGER], topics: [TOPIC] })
      if (world.failing) throw new Error('the node is down')
      asked.push([from, to])
      return world.logs.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
    },
  }
  return { world, search: (ended?: AbortSignal) => new KeySearch(chain, decodersOf(['uniswap-v4']), ended) }
}

const never = new AbortController().signal

//  0 ........ pool 1 ............ pool 2 .. head
//             ^ found by the second search     \ asked from here down, every block once
test('keys are looked for from the newest block down, as far as they lie back, and no block is asked for twice', async () => {
  const { world, search } = fakeChain(1_000_000, [madeAt(300_000, 1), madeAt(900_000, 2), madeAt(990_000, 3)])
  const keys = search()
  await keys.found([wanted(2)], never)
  expect(keys.find(wanted(2).pool)).toMatchObject({ fee: 2, tickSpacing: 10 })
  const lowest = Math.min(...world.asked.map(([from]) => from))
  expect(lowest).toBeGreaterThan(700_000)
  // Met on the way, though nobody had asked for it.
  const before = world.asked.length
  await keys.found([wanted(3)], never)
  expect(world.asked).toHaveLength(before)

  await keys.found([wanted(1)], never)
  expect(keys.find(wanted(1).pool)).toMatchObject({ fee: 1 })
  const blocks = world.asked.toSorted(([a], [b]) => a - b)
  blocks.slice(1).forEach(([from], index) => {
    expect(from).toBe((blocks[index]?.[1] ?? 0) + 1)
  })
})

test('what was made after the last search is found first', async () => {
  const { world, search } = fakeChain(100, [madeAt(90, 1)])
  const keys = search()
  await keys.found([wanted(1)], never)
  world.headNumber = 200
  world.logs.push(madeAt(150, 2))
  world.asked.length = 0
  await keys.found([wanted(2)], never)
  expect(world.asked).toEqual([[101, 200]])
})

test('a failure rejects those who wait, and the next search goes on where it stopped', async () => {
  const { world, search } = fakeChain(1_000_000, [madeAt(10, 1), madeAt(990_000, 2)])
  const keys = search()
  await keys.found([wanted(2)], never)
  world.failing = true
  await expect(keys.found([wanted(1)], never)).rejects.toThrow('the node is down')
  world.failing = false
  await keys.found([wanted(1)], never)
  const starts = world.asked.map(([from]) => from)
  expect(new Set(starts).size).toBe(starts.length)
})

test('who stops waiting does not stop the search', async () => {
  const { search } = fakeChain(1_000_000, [madeAt(10, 1)])
  const keys = search()
  const impatient = AbortSignal.abort(new Error('enough'))
  await expect(keys.found([wanted(1)], impatient)).rejects.toThrow('enough')
  await keys.found([wanted(1)], never)
})

test('a key that no log tells is an error at once, until it is looked for anew some thousand blocks later', async () => {
  const { world, search } = fakeChain(70_000, [])
  const keys = search()
  await expect(keys.found([wanted(1)], never)).rejects.toThrow(KeysNotFound)
  world.logs.push(madeAt(5, 1))
  world.asked.length = 0
  world.headNumber += 4_999
  await expect(keys.found([wanted(1)], never)).rejects.toThrow(KeysNotFound)
  expect(world.asked).toEqual([[70_001, 74_999]])
  world.headNumber += 1
  await keys.found([wanted(1)], never)
})

test('the search ends with what it is for', async () => {
  const ended = new AbortController()
  const { world, search } = fakeChain(10_000_000, [])
  const keys = search(ended.signal)
  ended.abort()
  keys.want([wanted(1)])
  await Promise.resolve()
  expect(world.asked).toEqual([])
})
