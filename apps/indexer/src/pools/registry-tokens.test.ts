import { BlocksUnavailable, type Call, type Clock, RpcUnavailable } from '@dexfeed/chain'
import { type Hex, MINUTE, type Token } from '@dexfeed/dex'
import { id } from 'ethers'
import { expect, test } from 'vitest'
import {
  addressesOf,
  madeDeployment,
  pairDex,
  pairPool,
  swapIn,
  verifyingChain,
  word,
} from '../../test/scene/made-values.ts'
import { PoolRegistry, type RegistryOptions } from './pool-registry.ts'

const [FACTORY, PAIR, TOKEN0, TOKEN1] = addressesOf('fa', 'aa', '01', '02')
const dex = pairDex(FACTORY)
const deployment = madeDeployment({ wrappedNative: TOKEN0, dexes: [dex] })
const event = swapIn(PAIR)
const selector = (signature: string) => id(signature).slice(0, 10) as Hex
const DECIMALS = selector('decimals()')

const pairAnswers: Record<Hex, Hex> = {
  [selector('factory()')]: word(FACTORY),
  [selector('token0()')]: word(TOKEN0),
  [selector('token1()')]: word(TOKEN1),
}

/**
 * Returns a chain with one pair. `tokens` gives the responses for its tokens, `control` for a call that cannot fail.
 */
function chainWith(tokens: () => Promise<Hex | null>, control: () => Promise<Hex | null> = async () => null) {
  const answer = async ({ to, data }: Call): Promise<Hex | null> => {
    if (to === TOKEN0 || to === TOKEN1) return data === DECIMALS ? tokens() : null
    if (to === FACTORY) return word(PAIR)
    if (to !== PAIR) return control()
    return pairAnswers[data] ?? null
  }
  return verifyingChain({ callMany: (calls) => Promise.all(calls.map(answer)), callElsewhere: async () => null })
}

const hasty: Pick<Clock, 'sleep'> = { sleep: () => Promise.resolve() }
const never: Pick<Clock, 'sleep'> = { sleep: () => new Promise(() => undefined) }
const down = () => Promise.reject(new RpcUnavailable({ what: 'eth_call', reasons: [], cause: null }))
const nothing = { pools: [], tokens: [] }
/** Opens a registry whose waits never end. */
const open = (chain: ReturnType<typeof chainWith>, options: RegistryOptions = {}) =>
  new PoolRegistry(chain, deployment, nothing, { clock: never, ...options })
const saveLate = ({ known }: PoolRegistry) => known.tokens.saveLate(async (tokens) => tokens)

test('a pool is found though its tokens do not respond in time, and they are added when they do', async () => {
  let tell: (answer: Hex) => void = () => undefined
  const told = new Promise<Hex>((resolve) => {
    tell = resolve
  })
  const chain = chainWith(() => told)
  const registry = open(chain, { clock: hasty })
  await registry.resolve([event], 'latest')
  expect(registry.known.pools.has(PAIR)).toBe(true)
  expect(registry.known.tokens.missing()).toEqual([TOKEN0, TOKEN1])
  expect(registry.known.tokens.get(TOKEN0)).toBeUndefined()
  tell(word(6n))
  await expect.poll(() => registry.known.tokens.missing()).toEqual([])
  await expect(registry.known.tokens.saveLate(down)).rejects.toBeInstanceOf(RpcUnavailable)
  expect((await saveLate(registry)).map(({ decimals }) => decimals)).toEqual([6, 6])
  expect(await saveLate(registry)).toEqual([])
})

test('tokens that no node can execute are left for later, while the nodes respond to other calls', async () => {
  const registry = open(chainWith(down))
  await registry.resolve([event], 'latest')
  expect(registry.known.tokens.missing()).toEqual([TOKEN0, TOKEN1])
})

test('while the nodes are down no pool is added without its tokens: the block is tried again', async () => {
  const registry = open(chainWith(down, down))
  await expect(registry.resolve([event], 'latest')).rejects.toBeInstanceOf(RpcUnavailable)
  expect(registry.known.pools.size).toBe(0)
})

test('a missing block is not blamed on its tokens', async () => {
  const gone = () => Promise.reject(new BlocksUnavailable({ what: 'block 1', cause: null }))
  const registry = open(chainWith(gone))
  await expect(registry.resolve([event], 'latest')).rejects.toBeInstanceOf(BlocksUnavailable)
})

test('a token without decimals in two blocks, a minute apart, is stored as having none', async () => {
  let time = 0
  const chain = chainWith(async () => null)
  const registry = open(chain, { now: { now: () => time } })
  await registry.resolve([event], '0x01')
  expect(registry.known.tokens.missing()).toEqual([TOKEN0, TOKEN1])
  time += MINUTE
  await registry.tokenReader.read([TOKEN0, TOKEN1], '0x02')
  expect(registry.known.tokens.missing()).toEqual([])
  expect(registry.known.tokens.get(TOKEN0)?.decimals).toBeNull()
})

test('pools that another process found are loaded with their tokens', async () => {
  const registry = open(chainWith(down))
  const pool = pairPool(PAIR, dex, TOKEN0, TOKEN1)
  const token: Token = { address: TOKEN0, symbol: 'A', name: 'A', decimals: 18 }
  registry.known.addStored({ pools: [pool], tokens: [token] })
  expect(registry.known.tokens.get(TOKEN0)).toEqual(token)
  expect(registry.known.tokens.missing()).toEqual([TOKEN1])
  registry.known.addStored({ pools: [pool], tokens: [token, { ...token, address: TOKEN1 }] })
  expect(registry.known.tokens.missing()).toEqual([])
  expect(await saveLate(registry)).toEqual([])
})

test('the first metadata of a token stays', () => {
  const token: Token = { address: TOKEN0, symbol: 'A', name: 'A', decimals: 18 }
  const registry = new PoolRegistry(chainWith(down), deployment, { pools: [], tokens: [token] }, { clock: never })
  registry.known.addStored({ pools: [], tokens: [{ ...token, decimals: 2 }] })
  expect(registry.known.tokens.get(TOKEN0)).toEqual(token)
})

// Without this, trades that the other process stored would wait until the pool trades again.
test('tokens of a pool that another process stored without them come late', async () => {
  const chain = chainWith(async () => word(6n))
  const registry = open(chain)
  await registry.resolve([event], 'latest')
  expect(await saveLate(registry)).toEqual([])
  const stored = [...registry.known.pools.values()]
  registry.known.addStored({ pools: stored, tokens: [{ address: TOKEN0, symbol: 'A', name: 'A', decimals: 6 }] })
  expect(registry.known.isSaved(PAIR)).toBe(true)
  expect((await saveLate(registry)).map(({ address }) => address)).toEqual([TOKEN1])
  registry.known.addStored({ pools: stored, tokens: [] })
  expect(await saveLate(registry)).toEqual([])
})
