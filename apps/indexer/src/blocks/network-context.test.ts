import type { Call } from '@dexfeed/chain'
import type { Address, BlockHeader, BlockRange, Hex, PoolAddress } from '@dexfeed/dex'
import type { PoolRow } from '@dexfeed/store'
import { expect, test } from 'vitest'
import { addressesOf, madeDeployment, pairDex, tokenOf, word } from '../../test/scene/made-values.ts'
import { PoolCache } from '../pools/pool-cache.ts'
import { learnFound, openNetworkContext } from './network-context.ts'

const [FACTORY, POOL, WETH, USDC] = addressesOf('fa', 'aa', '0e', '01')
const deployment = madeDeployment({
  wrappedNative: WETH,
  stablecoins: [USDC],
  dexes: [pairDex(FACTORY)],
  tokens: [WETH, USDC].map(tokenOf),
})
const NO_STORE = { loadPools: async () => [], loadTokens: async () => [] }
const HEAD = 20_000
const FINAL = HEAD - 64

/** Opens a context on a chain with a block every 12 seconds and a reference pool that is never traded. */
function openContext() {
  const header = (number: number): BlockHeader => ({ number, hash: '0x09', parentHash: '0x08', timestamp: 12 * number })
  const read: BlockRange[] = []
  const chain = {
    callMany: async (calls: readonly Call[]) => calls.map(({ to }): Hex | null => (to === FACTORY ? word(POOL) : null)),
    callElsewhere: async () => null,
    head: async () => header(HEAD),
    header: async (number: number) => header(number),
    async logsOf({ from, to }: BlockRange) {
      read.push({ from, to })
      return []
    },
  }
  const context = openNetworkContext(chain as never, NO_STORE, deployment)
  return { context, read, header }
}

const blocksOf = (ranges: readonly BlockRange[]) =>
  ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at))

test('history continues what was read for the first head, even while that is being read: no block is read twice', async () => {
  const { context, read, header } = openContext()
  const { bookAfter, bookBefore } = await context
  const head = bookAfter(header(HEAD), FINAL)
  await Promise.all([head, bookBefore(header(FINAL - 100)), bookBefore(header(FINAL - 200))])
  const blocks = blocksOf(read)
  expect(blocks).toContain(FINAL)
  expect(new Set(blocks).size).toBe(blocks.length)
})

test('a later head does not disturb the walk of history', async () => {
  const { context, read, header } = openContext()
  const { bookAfter, bookBefore } = await context
  await bookBefore(header(FINAL - 5_000))
  await bookAfter(header(HEAD), FINAL)
  read.length = 0
  await bookBefore(header(FINAL - 5_100))
  // Without the walk, a whole day would be read.
  expect(blocksOf(read).length).toBeLessThanOrEqual(100)
})

test('pools that history has found become known with their tokens; others of no configured DEX do not', async () => {
  const [FOUND, OTHER] = addressesOf('f0', '0f')
  const row = (address: Address, factory: Address): PoolRow => {
    const fields = { dex: 'a', factory, token0: USDC, token1: WETH, fee: 3000, tickSpacing: null }
    return { address, ...fields }
  }
  const read: (readonly Address[])[] = []
  const store = {
    foundPools: async () => [FOUND, OTHER],
    loadPools: async (addresses: readonly PoolAddress[] = []) =>
      [row(FOUND, FACTORY), row(OTHER, OTHER)].filter(({ address }) => addresses.includes(address)),
    loadTokens: async (addresses: readonly Address[] = []) => {
      read.push(addresses)
      return addresses.map(tokenOf)
    },
  }
  const known = new PoolCache(deployment, { pools: [], tokens: [] })
  expect(await learnFound(store, deployment, known)).toEqual([FOUND, OTHER])
  expect(known.isSaved(FOUND)).toBe(true)
  expect(known.pools.has(OTHER)).toBe(false)
  expect(read).toEqual([[USDC, WETH]])
  await learnFound(store, deployment, known)
  expect(read).toHaveLength(1)
})
