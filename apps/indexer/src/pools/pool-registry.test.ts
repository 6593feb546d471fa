import type { Chain, PlacedLog } from '@dexfeed/chain'
import type { Address, Hex, PoolEvent } from '@dexfeed/dex'
import { id } from 'ethers'
import { expect, test } from 'vitest'
import { addressesOf, addressOf, madeDeployment, swapIn, verifyingChain, word } from '../../test/scene/made-values.ts'
import { KeysNotFound } from './manager-search.ts'
import { KeysNotFoundYet, PoolRegistry } from './pool-registry.ts'

const [MANAGER, WRAPPED, OTHER_MANAGER] = addressesOf('4a', 'ee', '4b')
const TOKEN: Address = '0x7f426f6dc648e50464a0392e60e1bb465a67e9cf'
const USDT: Address = '0xc2132d05d31c914a87c6611c10748aeb04b58e8f'
/** PoolId of (TOKEN, USDT, 990002, 19800, no hooks), a Uniswap V4 pool on Polygon. */
const ID = '049116bf41c6d7e37b65c055bde33035e3c829c7973fe2657510112f069a07eb'
const INITIALIZE = id('Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)') as Hex
const deployment = madeDeployment({
  network: 'polygon',
  wrappedNative: WRAPPED,
  finalityDepth: 4,
  dexes: [{ name: 'v4', kind: 'uniswap-v4', factory: MANAGER }],
})
const at = { family: 'managed', pool: `${MANAGER}${ID}`, transactionIndex: 0, logIndex: 0 } as const
const swap = swapIn(at.pool, 'managed')
const added: PoolEvent = { type: 'liquidity', ...at, tickLower: 0, tickUpper: 1, delta: 1n }
const initialize: PlacedLog = {
  address: MANAGER,
  topics: [INITIALIZE, `0x${ID}`, word(TOKEN), word(USDT)],
  data: `0x${[990_002, 19_800, 0, 1, 0].map((value) => word(value).slice(2)).join('')}`,
  transactionIndex: 0,
  logIndex: 0,
  blockNumber: 5,
  blockHash: '0x',
  transactionHash: '0x',
}

/** Contracts that return nothing. */
const SILENT: Partial<Chain> = {
  callMany: async (calls) => calls.map(() => null),
  callElsewhere: async (calls) => calls.map(() => null),
  hasCode: async () => null,
  head: async () => ({ number: 100, hash: '0x', parentHash: '0x', timestamp: 0 }),
}

/** Opens a registry on a chain whose contracts return nothing and whose logs come when they are released. */
function openRegistry(options: { keyWaitMs?: number } = {}) {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const asked: string[] = []
  const chain = verifyingChain({
    ...SILENT,
    async logsOf({ from, to }) {
      asked.push(`${from}-${to}`)
      await held
      return [initialize]
    },
  })
  return { registry: new PoolRegistry(chain, deployment, { pools: [], tokens: [] }, options), letGo, asked }
}

test('a pool stays keyless while its key is searched, and later swaps find it', async () => {
  const { registry, letGo } = openRegistry()
  expect([...(await registry.resolve([swap], 'latest', { deferKeys: true }))]).toEqual([at.pool])
  expect(registry.known.pools.has(at.pool)).toBe(false)
  letGo()
  expect([...(await registry.resolve([swap], 'latest'))]).toEqual([])
  expect(registry.known.pools.get(at.pool)).toMatchObject({
    token0: TOKEN,
    token1: USDT,
    fee: 990_002,
    tickSpacing: 19_800,
  })
  const saved = await registry.known.saveWith([at.pool], {}, async () => undefined)
  expect(saved.tokens.map(({ address }) => address)).toEqual([TOKEN, USDT])
})

test('without a swap the key is not searched, and the pool is not denied', async () => {
  const { registry, asked, letGo } = openRegistry()
  letGo()
  expect([...(await registry.resolve([added], 'latest'))]).toEqual([])
  expect(asked).toEqual([])
  await registry.resolve([swap], 'latest')
  expect(registry.known.pools.has(at.pool)).toBe(true)
})

test('history waits for a key, then fails and is retried while the search continues', async () => {
  const { registry, letGo, asked } = openRegistry({ keyWaitMs: 5 })
  await expect(registry.resolve([swap], 'latest')).rejects.toThrow(KeysNotFoundYet)
  letGo()
  await registry.resolve([swap], 'latest')
  expect(registry.known.pools.has(at.pool)).toBe(true)
  expect(new Set(asked).size).toBe(asked.length)
})

/*
 *  swaps of two managers     the first has no log for its key     the second has, and its node responds later
 */
test('a key that is not found does not keep the pools of other keys unknown', async () => {
  const chain = verifyingChain({
    ...SILENT,
    async logsOf({ addresses = [] }) {
      if (addresses.includes(OTHER_MANAGER)) return []
      await new Promise((resolve) => setImmediate(resolve))
      return [initialize]
    },
  })
  const dexes = [...deployment.dexes, { name: 'v4b', kind: 'uniswap-v4', factory: OTHER_MANAGER } as const]
  const registry = new PoolRegistry(chain, { ...deployment, dexes }, { pools: [], tokens: [] })
  const keyless = swapIn(`${OTHER_MANAGER}${'ab'.repeat(32)}`, 'managed')
  await expect(registry.resolve([keyless, swap], 'latest')).rejects.toThrow(KeysNotFound)
  expect([...registry.known.pools.keys()]).toEqual([at.pool])
})

test('a call whose signal aborts does not wait for keys', async () => {
  const { registry } = openRegistry()
  const stop = new AbortController()
  const resolving = registry.resolve([swap], 'latest', { signal: stop.signal })
  stop.abort(new Error('stopping'))
  await expect(resolving).rejects.toThrow('stopping')
})

/** Opens a registry whose contracts respond when released, and counts the calls. */
function openAsking(answer: (asked: number) => Promise<void>) {
  let asked = 0
  const chain = verifyingChain({
    ...SILENT,
    async callMany(calls) {
      await answer(++asked)
      return calls.map(() => null)
    },
  })
  const v2 = { name: 'v2', kind: 'uniswap-v2', factory: MANAGER } as const
  const registry = new PoolRegistry(chain, { ...deployment, dexes: [v2] }, { pools: [], tokens: [] })
  return { registry, asked: () => asked }
}

const pairSwap = swapIn(addressOf('77'))

test('parts of history with the same new pool verify it once', async () => {
  const { promise: held, resolve: letGo } = withResolvers()
  const { registry, asked } = openAsking(() => held)
  const both = [registry.resolve([pairSwap], 'latest'), registry.resolve([pairSwap], 'latest')]
  await new Promise(setImmediate)
  expect(asked()).toBe(1)
  // The head does not wait for the other check.
  const live = registry.resolve([pairSwap], '0x', { deferKeys: true })
  await new Promise(setImmediate)
  expect(asked()).toBe(2)
  letGo()
  await Promise.all([...both, live])
  const before = asked()
  await registry.resolve([pairSwap], 'latest')
  expect(asked()).toBe(before)
})

test('if the check of another caller failed, a part of history checks itself', async () => {
  const { promise: held, reject: fail } = withResolvers()
  const { registry, asked } = openAsking((times) => (times === 1 ? held : Promise.resolve()))
  const first = registry.resolve([pairSwap], 'latest')
  const second = registry.resolve([pairSwap], 'latest')
  await new Promise(setImmediate)
  fail(new Error('the node is gone'))
  await expect(first).rejects.toThrow('the node is gone')
  await second
  expect(asked()).toBeGreaterThan(1)
})

function withResolvers() {
  let resolve = () => {}
  let reject: (reason: Error) => void = () => {}
  const promise = new Promise<void>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve, reject }
}
