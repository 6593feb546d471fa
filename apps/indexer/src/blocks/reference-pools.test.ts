import type { Call } from '@dexfeed/chain'
import { type BlockHeader, type Hex, MINUTE } from '@dexfeed/dex'
import { beforeEach, expect, test } from 'vitest'
import { addressesOf, madeDeployment, pairDex, tokenOf, verifyingChain, word } from '../../test/scene/made-values.ts'
import { PoolRegistry } from '../pools/pool-registry.ts'
import { ReferencePools } from './reference-pools.ts'

const [FACTORY, POOL, WETH, USDC, DAI] = addressesOf('fa', 'aa', '0e', '01', '02')
const deployment = madeDeployment({
  wrappedNative: WETH,
  stablecoins: [USDC, DAI],
  dexes: [pairDex(FACTORY)],
  tokens: [WETH, USDC, DAI].map(tokenOf),
})
const [ZERO, FOUND] = [word(0), word(POOL)]
const HEAD: BlockHeader = { number: 9, hash: '0x09', parentHash: '0x08', timestamp: 0 }

/** Returns the factory's response for WETH and USDC. The factory has no pool of other pairs. */
type Node = (at: Hex | 'latest') => Hex | null
let now: number
let asked: number
beforeEach(() => {
  now = 0
  asked = 0
})

function openReferences(
  nodes: { first: Node; second: Node | null },
  { tokens = deployment.tokens, decimals = [ZERO] } = {},
) {
  const answers = (node: Node, calls: readonly Call[], at: unknown) =>
    calls.map(({ to, data }) => {
      if (to !== FACTORY)
        return data === '0x313ce567' ? ((decimals.length > 1 ? decimals.shift() : decimals[0]) ?? null) : null
      return data.includes(USDC.slice(2)) && data.includes(WETH.slice(2)) ? node(at as Hex) : ZERO
    })
  const chain = verifyingChain({
    async callMany(calls, at) {
      if (calls.some(({ to }) => to === FACTORY)) asked += 1
      return answers(nodes.first, calls, at)
    },
    callElsewhere: async (calls, at) => nodes.second && answers(nodes.second, calls, at),
    head: async () => HEAD,
  })
  const registry = new PoolRegistry(chain, { ...deployment, tokens }, { pools: [], tokens: [] })
  return new ReferencePools(chain, deployment, registry, { now: () => now })
}

const addresses = ({ pools }: ReferencePools) => pools.map(({ address }) => address)

test.each<[string, Hex | null]>([
  ['nothing', null],
  ['zero', ZERO],
])('%s that a factory returns once does not remove a reference pool', async (_, denial) => {
  const second = openReferences({ first: () => denial, second: () => FOUND })
  await second.refresh()
  expect(addresses(second)).toEqual([POOL])
  const alone = openReferences({ first: (at) => (at === 'latest' ? denial : FOUND), second: null })
  await alone.refresh()
  expect(addresses(alone)).toEqual([POOL])
})

test('denied pools are requested again with growing pauses, and a found one changes the version of books', async () => {
  const nodes: { first: Node; second: Node } = { first: () => ZERO, second: () => ZERO }
  const references = openReferences(nodes)
  for (let minute = 0; minute < 8; minute++, now += MINUTE) await references.refresh()
  expect(asked).toBe(4)
  nodes.first = () => FOUND
  const { version } = references
  await references.refresh()
  expect(addresses(references)).toEqual([])
  now = 15 * MINUTE
  await Promise.all([references.refresh(), references.refresh()])
  expect(asked).toBe(5)
  expect(addresses(references)).toEqual([POOL])
  expect(references.version).toBeGreaterThan(version)
})

test('a pool that a factory makes is requested before the next prices', async () => {
  const nodes: { first: Node; second: Node } = { first: () => ZERO, second: () => ZERO }
  const references = openReferences(nodes)
  await references.refresh()
  nodes.first = () => FOUND
  references.expect({ token0: WETH, token1: FACTORY })
  await references.refresh()
  expect(addresses(references)).toEqual([])
  references.expect({ token0: USDC, token1: WETH })
  await references.refresh()
  expect(addresses(references)).toEqual([POOL])
})

test('an anchor whose decimals were denied once gets them', async () => {
  const six: Hex = `0x${'6'.padStart(64, '0')}`
  const nodes = { first: () => FOUND, second: null }
  const references = openReferences(nodes, { tokens: [WETH, DAI].map(tokenOf), decimals: [ZERO, six] })
  await references.refresh()
  expect(references.config.decimals.get(USDC)).toBe(6)
})

test('a failed request throws, and is repeated immediately', async () => {
  let isDown = true
  const first = () => {
    if (isDown) throw new Error('down')
    return FOUND
  }
  const references = openReferences({ first, second: null })
  await expect(references.refresh()).rejects.toThrow('down')
  isDown = false
  await references.refresh()
  expect(addresses(references)).toEqual([POOL])
})
