import type { Call } from '@dexfeed/chain'
import { type Hex, MINUTE } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import {
  addressesOf,
  addressOf,
  madeDeployment,
  pairDex,
  pairPool,
  swapIn,
  tokenOf,
  verifyingChain,
  word,
} from '../../test/scene/made-values.ts'
import { EmitterVerifier } from './emitter-verifier.ts'
import { PoolRegistry } from './pool-registry.ts'

const [A, B, POOL, FACTORY] = addressesOf('0a', '0b', 'a1', 'f1')
const DEX = pairDex(FACTORY)
const deployment = madeDeployment({ wrappedNative: A, dexes: [DEX], tokens: [A, B].map(tokenOf), finalityDepth: 64 })
const swap = swapIn(POOL)

type Node = (call: Call) => Hex | null
const answers = new Map<string, Hex>([
  [`${POOL} 0xc45a0155`, word(FACTORY)],
  [`${POOL} 0x0dfe1681`, word(A)],
  [`${POOL} 0xd21220a7`, word(B)],
  [`${FACTORY} 0xe6a43905`, word(POOL)],
])
const honest: Node = ({ to, data }) => answers.get(`${to} ${data.slice(0, 10)}`) ?? null
const ofNothing: Node = () => null
/** The pool describes itself, but its factory does not know it. */
const zeroOfFactory: Node = (call) => (call.to === FACTORY ? word(0n) : honest(call))

function openRegistry(first: Node, second: Node | null) {
  const nodes = { first, second }
  let now = 0
  let asked = 0
  const chain = verifyingChain({
    callMany: async (calls) => {
      asked++
      return calls.map(nodes.first)
    },
    callElsewhere: async (calls) => (nodes.second === null ? null : calls.map(nodes.second)),
  })
  const registry = new PoolRegistry(chain, deployment, { pools: [], tokens: [] }, { now: { now: () => now } })
  const resolve = async (at: Hex | 'latest' = '0x01', recheckDenied = false) => {
    await registry.resolve([swap], at, { recheckDenied })
    return registry.known.pools.has(POOL)
  }
  const pass = (ms: number) => {
    now += ms
  }
  return { registry, nodes, resolve, pass, asked: () => asked }
}

test.each([
  ['an empty response', ofNothing],
  ['zero from the factory', zeroOfFactory],
])('%s of one endpoint is not a denial if a second one confirms the pool', async (_, lie) => {
  expect(await openRegistry(lie, honest).resolve()).toBe(true)
  expect(await openRegistry(honest, lie).resolve()).toBe(true)
})

test('an emitter that two endpoints deny is not checked until that expires', async () => {
  const { nodes, resolve, pass, asked } = openRegistry(ofNothing, ofNothing)
  expect(await resolve()).toBe(false)
  const before = asked()
  nodes.first = honest
  expect(await resolve('0x02')).toBe(false)
  expect(asked()).toBe(before)
  pass(MINUTE)
  expect(await resolve('0x03')).toBe(true)
})

test('a denial of the only endpoint counts when repeated a minute later; the audit checks it again', async () => {
  const { nodes, resolve, asked, pass, registry } = openRegistry(zeroOfFactory, null)
  expect(await resolve()).toBe(false)
  const before = asked()
  expect(await resolve('0x02')).toBe(false)
  expect(asked()).toBeGreaterThan(before)
  expect(registry.isConfirmedDenial(POOL)).toBe(false)
  pass(MINUTE)
  expect(await resolve('0x03')).toBe(false)
  expect(registry.isConfirmedDenial(POOL)).toBe(true)
  nodes.first = honest
  expect(await resolve('0x04')).toBe(false)
  expect(await resolve('latest', true)).toBe(true)
})

test('an emitter that proves to be a pool is no longer denied', async () => {
  let node = ofNothing
  const ask = async (calls: readonly Call[]) => calls.map((call) => node(call))
  const verifier = new EmitterVerifier({ callMany: ask, callElsewhere: ask }, [DEX])
  const verify = (at: Hex) => verifier.verify([{ pool: POOL, family: 'pair', events: [swap] }], at)
  await verify('0x01')
  expect(verifier.isDenied(POOL)).toBe(true)
  node = honest
  expect((await verify('0x02')).pools).toHaveLength(1)
  expect(verifier.isDenied(POOL)).toBe(false)
})

test('blocks of an emitter that proves to be a pool are read again, those of others are not', async () => {
  const { registry, nodes, resolve } = openRegistry(ofNothing, null)
  await resolve()
  for (const block of [7, 9, 500]) registry.noteDropped({ emitter: POOL, from: block, to: block })
  registry.noteDropped({ emitter: addressOf('e1'), from: 8, to: 8 })
  expect(registry.takeDropped()).toEqual([])
  nodes.first = honest
  await resolve('0x02')
  expect(registry.takeDropped()).toEqual([
    { from: 7, to: 9 },
    { from: 500, to: 500 },
  ])
  expect(registry.takeDropped()).toEqual([])
})

test('so are blocks of a pool that another process has found', async () => {
  const { registry, resolve, pass, asked } = openRegistry(ofNothing, ofNothing)
  await resolve()
  registry.noteDropped({ emitter: POOL, from: 7, to: 7 })
  pass(MINUTE)
  registry.known.addStored({ pools: [pairPool(POOL, DEX, A, B)], tokens: [] })
  expect(registry.known.pools.has(POOL)).toBe(true)
  expect(registry.takeDropped()).toEqual([{ from: 7, to: 7 }])
  // Another process dropped events before it knew the pool.
  registry.noteDropped({ emitter: POOL, from: 8, to: 9 })
  expect(registry.takeDropped()).toEqual([{ from: 8, to: 9 }])
  const before = asked()
  expect(await resolve('0x02')).toBe(true)
  expect(asked()).toBe(before)
})
