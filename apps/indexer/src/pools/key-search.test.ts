import type { Clock, PlacedLog } from '@dexfeed/chain'
import type { Address, BlockRange, Dex, Hex, PoolAddress } from '@dexfeed/dex'
import { testDatabase } from '@dexfeed/test-setup'
import { id, keccak256 } from 'ethers'
import { expect, test } from 'vitest'
import { openStore } from '../../test/scene/open-store.ts'
import { KeySearch } from './key-search.ts'
import { type KeyStore, KeysNotFound, memoryKeyStore, type SearchDependencies } from './manager-search.ts'

const MANAGER: Address = `0x${'4a'.repeat(20)}`
const TOPIC = id('Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)') as Hex
const word = (value: number) => value.toString(16).padStart(64, '0')
/** Computes PoolId.toId of the key (0, 1, fee n, tick spacing 10, no hooks). */
const idOf = (n: number) => keccak256(`0x${[0, 1, n, 10, 0].map(word).join('')}`).slice(2)
const wanted = (n: number) => ({
  pool: `${MANAGER}${idOf(n)}` as PoolAddress,
  keyLog: { address: MANAGER, topic: TOPIC },
})
const never = new AbortController().signal
const MILLION = 1_000_000

/** Returns the Initialize event of the pool with fee n. */
function madeAt(blockNumber: number, n: number): PlacedLog {
  return {
    address: MANAGER,
    topics: [TOPIC, `0x${idOf(n)}`, `0x${word(0)}`, `0x${word(1)}`],
    data: `0x${[n, 10, 0, 1, 0].map(word).join('')}`,
    transactionIndex: 0,
    logIndex: 0,
    blockNumber,
    blockHash: '0x',
    transactionHash: '0x',
  }
}

/** Makes a chain with only these logs, which records its requests and keeps states from block `stateFrom` on. */
function fakeWorld(head: number, logs: PlacedLog[], deploymentBlock?: number) {
  const world = {
    head,
    logs,
    deployedIn: 0,
    stateFrom: 0,
    prunedSays: null as false | null,
    keepsFirst: false,
    asked: [] as BlockRange[],
    /** For each request, whether it had to go to another endpoint than usual. */
    elsewhere: [] as boolean[],
    isDown: (_range: BlockRange) => false,
  }
  const chain: SearchDependencies['chain'] = {
    head: async () => ({ number: world.head, hash: '0x', parentHash: '0x', timestamp: 0 }),
    async logsOf({ addresses, topics, from, to, secondOpinion = false }) {
      expect({ addresses, topics }).toEqual({ addresses: [MANAGER], topics: [TOPIC] })
      if (world.isDown({ from, to })) throw new Error('the node is down')
      world.asked.push({ from, to })
      world.elsewhere.push(secondOpinion)
      return world.logs.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
    },
    async hasCode(_, number) {
      const isKept = number >= world.stateFrom || (number === 0 && world.keepsFirst)
      return isKept ? number >= world.deployedIn : world.prunedSays
    },
  }
  const dex: Dex = { name: 'v4', kind: 'uniswap-v4', factory: MANAGER }
  const dexes = [deploymentBlock === undefined ? dex : { ...dex, deploymentBlock }]
  const search = (keyStore: KeyStore, ...run: [ended?: AbortSignal, clock?: Pick<Clock, 'sleep'>]) =>
    new KeySearch({ chain, dexes, keyStore }, ...run)
  const lowest = () => Math.min(...world.asked.map(({ from }) => from))
  return { world, search, lowest }
}

/** Opens key stores of several processes for one network, which has a final block. */
async function storedShelf(finalNumber: number) {
  const url = await testDatabase()
  const final = { number: finalNumber }
  const open = async () => {
    const { store } = await openStore(url)
    const keyStore: KeyStore = {
      poolKeys: (pools) => store.poolKeys(pools),
      keyProgress: (manager) => store.keyProgress(manager),
      saveKeys: (found) => store.saveKeys(found),
      searchAlone: (step) => store.searchAlone(step),
      networkRow: async () => ({ finalNumber: final.number }),
    }
    return keyStore
  }
  return { final, open }
}

/** Expects that no block is read twice and none is left out. */
function expectSeamless(asked: readonly BlockRange[]): void {
  const blocks = asked.toSorted((a, b) => a.from - b.from)
  blocks.slice(1).forEach(({ from }, index) => {
    expect(from).toBe((blocks[index]?.to ?? 0) + 1)
  })
}

//   0 ........ pool 1 ............ pool 2 .. head
//        ^ found by the second search     \ read from here down, every block once
test('keys are searched from the newest block down as far as needed, and no block is read twice', async () => {
  const { world, search, lowest } = fakeWorld(MILLION, [madeAt(300_000, 1), madeAt(900_000, 2), madeAt(990_000, 3)])
  const keys = search(memoryKeyStore())
  await keys.waitFor([wanted(2)], never)
  expect(keys.find(wanted(2).pool)).toMatchObject({ fee: 2, tickSpacing: 10 })
  expect(lowest()).toBeGreaterThan(700_000)
  // This key was found on the way, though no caller had requested it.
  const before = world.asked.length
  await keys.waitFor([wanted(3)], never)
  expect(world.asked).toHaveLength(before)

  await keys.waitFor([wanted(1)], never)
  expect(keys.find(wanted(1).pool)).toMatchObject({ fee: 1 })
  expectSeamless(world.asked)
})

test('pools created after the last search are found first', async () => {
  const { world, search } = fakeWorld(100, [madeAt(90, 1)])
  const keys = search(memoryKeyStore())
  await keys.waitFor([wanted(1)], never)
  world.head = 200
  world.logs.push(madeAt(150, 2))
  world.asked.length = 0
  await keys.waitFor([wanted(2)], never)
  expect(world.asked).toEqual([{ from: 101, to: 200 }])
})

test('a failure rejects the waiting callers, and the next search continues from there', async () => {
  const { world, search } = fakeWorld(MILLION, [madeAt(10, 1), madeAt(990_000, 2)])
  const keys = search(memoryKeyStore())
  await keys.waitFor([wanted(2)], never)
  // The second of the parallel windows cannot be read, so only the first one is kept.
  world.isDown = ({ to }) => to === 750_000
  await expect(keys.waitFor([wanted(1)], never)).rejects.toThrow('the node is down')
  const first = world.asked.filter(({ from }) => from > 750_000)
  world.isDown = () => false
  world.asked = []
  await keys.waitFor([wanted(1)], never)
  expectSeamless([...first, ...world.asked])
})

test('a caller that stops waiting does not stop the search', async () => {
  const { search } = fakeWorld(MILLION, [madeAt(10, 1)])
  const keys = search(memoryKeyStore())
  const impatient = AbortSignal.abort(new Error('enough'))
  await expect(keys.waitFor([wanted(1)], impatient)).rejects.toThrow('enough')
  await keys.waitFor([wanted(1)], never)
})

test('the search ends once nothing needs it', async () => {
  const ended = new AbortController()
  const { world, search } = fakeWorld(10 * MILLION, [])
  const keys = search(memoryKeyStore(), ended.signal)
  ended.abort()
  await expect(keys.waitFor([wanted(1)], never)).rejects.toThrow('aborted')
  expect(world.asked).toEqual([])
})

test('after a failure, the search for requested keys continues without another request', async () => {
  const { world, search } = fakeWorld(100, [madeAt(90, 1)])
  world.isDown = () => true
  const rests: number[] = []
  const clock = {
    async sleep(ms: number) {
      rests.push(ms)
      world.isDown = () => false
    },
  }
  const keys = search(memoryKeyStore(), never, clock)
  await expect(keys.waitFor([wanted(1)], never)).rejects.toThrow('the node is down')
  await expect.poll(() => keys.find(wanted(1).pool)?.fee).toBe(1)
  expect(rests).toEqual([30_000])
})

test('a key that does not hash to its id is ignored, whatever endpoint returned it', async () => {
  const forged = { ...madeAt(990_000, 1), data: madeAt(990_000, 2).data }
  const { search } = fakeWorld(MILLION, [forged, madeAt(10, 1)])
  const keys = search(memoryKeyStore())
  await keys.waitFor([wanted(1)], never)
  expect(keys.find(wanted(1).pool)?.fee).toBe(1)
})

//   0 .. 400,000 .. pool .. head      deployed at 400,000: no block below is ever read
test('the search ends at the block that deployed the manager', async () => {
  const { search, lowest } = fakeWorld(MILLION, [madeAt(400_000, 1)], 400_000)
  const keys = search(memoryKeyStore())
  await keys.waitFor([wanted(1)], never)
  await expect(keys.waitFor([wanted(2)], never)).rejects.toThrow(KeysNotFound)
  expect(lowest()).toBe(400_000)
})

test.each([
  ['keeps all states', 0, null, 400_000],
  ['keeps no old states and says so', 900_000, null, 0],
  ['keeps no old states but the first', 900_001, null, 0],
  ['takes its latest state for any', -1, null, 0],
  // The reported block is too high, but the blocks below it are still searched.
  ['shows no code in states that it no longer keeps', 900_000, false, 900_000],
] as const)('a manager whose block is not configured: a node that %s', async (_, stateFrom, prunedSays, floor) => {
  const { world, search, lowest } = fakeWorld(MILLION, [madeAt(400_000, 1), madeAt(950_000, 2)])
  const keepsFirst = stateFrom === 900_001
  Object.assign(world, { deployedIn: stateFrom < 0 ? 0 : 400_000, stateFrom, prunedSays, keepsFirst })
  const keyStore = memoryKeyStore()
  const keys = search(keyStore)
  await keys.waitFor([wanted(2)], never)
  expect((await keyStore.keyProgress(MANAGER)).floor).toBe(floor)
  await keys.waitFor([wanted(1)], never)
  expect(lowest()).toBeLessThanOrEqual(400_000)
  expect(lowest()).toBeGreaterThanOrEqual(floor === 400_000 ? floor : 0)
  // The search also covers the blocks below before it fails.
  await expect(keys.waitFor([wanted(3)], never)).rejects.toThrow(KeysNotFound)
  expect(lowest()).toBe(0)
  expectSeamless(world.asked)
})

test('a key without a log is an error immediately, until everything is searched again at another endpoint', async () => {
  const { world, search } = fakeWorld(70_000, [])
  const keys = search(memoryKeyStore())
  await expect(keys.waitFor([wanted(1)], never)).rejects.toThrow(KeysNotFound)
  expect(world.elsewhere).toEqual([false, false])
  world.asked.length = 0
  world.head += 4_999
  await expect(keys.waitFor([wanted(1)], never)).rejects.toThrow(KeysNotFound)
  expect(world.asked).toEqual([{ from: 70_001, to: 74_999 }])
  // A node had left the log out.
  world.logs.push(madeAt(5, 1))
  world.head += 1
  world.elsewhere.length = 0
  await keys.waitFor([wanted(1)], never)
  expect(world.elsewhere).toContain(true)
  // The search for the next missing key waits twice as long.
  await expect(keys.waitFor([wanted(2)], never)).rejects.toThrow(KeysNotFound)
  world.head += 5_000
  world.asked.length = 0
  await expect(keys.waitFor([wanted(2)], never)).rejects.toThrow(KeysNotFound)
  expect(world.asked).toEqual([{ from: 75_001, to: 80_000 }])
})

//   0 .. pool 1 ..... pool 2 .. head     process one     stops in the middle
//                                        process two     continues below
test('a restart continues the search where it stopped, with the keys found before', async () => {
  const { world, search } = fakeWorld(MILLION, [madeAt(10, 1), madeAt(900_000, 2), madeAt(990_000, 3)])
  const { open } = await storedShelf(MILLION)
  await search(await open()).waitFor([wanted(2)], never)
  const restarted = search(await open())
  await restarted.loadStored([wanted(3).pool])
  expect(restarted.find(wanted(3).pool)).toEqual({
    currency0: `0x${word(0).slice(24)}`,
    currency1: `0x${word(1).slice(24)}`,
    hooks: `0x${word(0).slice(24)}`,
    fee: 3,
    tickSpacing: 10,
  })
  await restarted.waitFor([wanted(1)], never)
  expectSeamless(world.asked)
})

test('two processes share one search: the other finds what one reads', async () => {
  const { world, search } = fakeWorld(2 * MILLION, [madeAt(10, 1), madeAt(20, 2)])
  const { open } = await storedShelf(2 * MILLION)
  const [one, two] = [search(await open()), search(await open())]
  await Promise.all([one.waitFor([wanted(1)], never), two.waitFor([wanted(2)], never)])
  expect([one.find(wanted(1).pool)?.fee, two.find(wanted(2).pool)?.fee]).toEqual([1, 2])
  expectSeamless(world.asked)
})

test('a step overtaken by another process stores nothing', async () => {
  const { open } = await storedShelf(100)
  const keyStore = await open()
  const was = await keyStore.keyProgress(MANAGER)
  const save = (from: number, to: number) =>
    keyStore.saveKeys({ manager: MANAGER, was, now: { ...was, searched: { from, to } }, keys: [] })
  expect(await save(50, 100)).toBe(true)
  expect(await save(70, 100)).toBe(false)
  expect((await keyStore.keyProgress(MANAGER)).searched).toEqual({ from: 50, to: 100 })
})

//   .. 90 final - 95 - 100        the pool is created in 95
//                \ 95'- 100'      and again in 97', on the winning branch
test('blocks that are not final do not count as progress: a key is found, and again once its block is orphaned', async () => {
  const { world, search } = fakeWorld(100, [madeAt(95, 1), madeAt(96, 2)])
  const { final, open } = await storedShelf(90)
  const keyStore = await open()
  const keys = search(keyStore)
  await keys.waitFor([wanted(1)], never)
  expect(keys.find(wanted(1).pool)?.fee).toBe(1)
  expect((await keyStore.poolKeys([wanted(1).pool])).size).toBe(0)
  expect((await keyStore.keyProgress(MANAGER)).searched?.to ?? 0).toBeLessThanOrEqual(90)
  // Pool 2 is not on the winning branch; pool 3 is only there.
  world.logs = [madeAt(97, 1), madeAt(98, 3)]
  const restarted = search(await open())
  await restarted.waitFor([wanted(3)], never)
  await expect(restarted.waitFor([wanted(2)], never)).rejects.toThrow(KeysNotFound)
  final.number = 99
  world.head = 110
  await restarted.waitFor([wanted(1)], never)
  expect((await keyStore.poolKeys([1, 3].map((n) => wanted(n).pool))).size).toBe(2)
  expect((await keyStore.keyProgress(MANAGER)).searched).toEqual({ from: 0, to: 99 })
})
