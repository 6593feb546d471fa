import type { Address, Block, Hex, Log } from '@dexfeed/dex'
import { id } from 'ethers'
import { expect, test } from 'vitest'
import { addressesOf, emptyBook, madeDeployment, pairDex, verifyingChain, word } from '../../test/scene/made-values.ts'
import { PoolRegistry } from '../pools/pool-registry.ts'
import { BlockProcessor, watchedTopics } from './process-blocks.ts'

const [A, B, FACTORY, OTHER, IMPOSTOR, MAKER, MANAGER, VAULT] = addressesOf(
  ...(['0a', '0b', 'fa', 'fb', 'f0', 'aa', '4a', 'ba'] as const),
)
const topicOf = (signature: string) => id(signature) as Hex
const PAIR_CREATED = topicOf('PairCreated(address,address,address,uint256)')
const SYNC = topicOf('Sync(uint112,uint112)')
const SWAP = topicOf('Swap(address,uint256,uint256,uint256,uint256,address)')
const NOW = 1_700_000_000

const deployment = madeDeployment({
  wrappedNative: A,
  dexes: [
    pairDex(FACTORY),
    pairDex(OTHER),
    { name: 'v4', kind: 'uniswap-v4', factory: MANAGER },
    { name: 'balancer', kind: 'balancer-v2', factory: VAULT },
  ],
})

const words = (...values: (Hex | bigint | number)[]): Hex => `0x${values.map((value) => word(value).slice(2)).join('')}`
const [GET_PAIR, GET_POOL, GET_FACTORY, TOKEN0, TOKEN1] = [
  'getPair(address,address)',
  'getPool(bytes32)',
  'factory()',
  'token0()',
  'token1()',
].map((signature) => id(signature).slice(0, 10))
const pairOf = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`

/** A chain with these pairs of A and B, which counts the calls. The factory confirms each pair for its own tokens. */
class Pairs {
  readonly #pairs: ReadonlySet<Address>
  calls = 0

  constructor(pairs: readonly Address[]) {
    this.#pairs = new Set(pairs)
  }

  /** Token B of a pair is the pair's own address, so that each pair has other tokens. */
  answer(to: Address, data: Hex): Hex | null {
    this.calls++
    const selector = data.slice(0, 10)
    if (to === FACTORY && selector === GET_PAIR) {
      const token1: Address = `0x${data.slice(-40)}`
      return word(this.#pairs.has(token1) ? token1 : 0)
    }
    if (to === VAULT && selector === GET_POOL) return words(`0x${data.slice(10, 50)}`, 0)
    if (to === VAULT) return words(96, 192, 0, 2, A, B, 0)
    if (!this.#pairs.has(to)) return null
    if (selector === GET_FACTORY) return word(FACTORY)
    if (selector === TOKEN0) return word(A)
    return selector === TOKEN1 ? word(to) : null
  }

  processor() {
    const callMany = async (calls: readonly { to: Address; data: Hex }[]) =>
      calls.map(({ to, data }) => this.answer(to, data))
    const chain = verifyingChain({ callMany, callElsewhere: callMany })
    const registry = new PoolRegistry(chain, deployment, { pools: [], tokens: [] })
    return new BlockProcessor(deployment, registry, { transactionLogs: async (places) => places.map(() => []) })
  }
}

type Draft = Pick<Log, 'address' | 'topics' | 'data'>

function created(pair: Address, factory: Address = FACTORY): Draft {
  return { address: factory, topics: [PAIR_CREATED, word(A), word(pair)], data: words(pair, 1) }
}

function block(number: number, drafts: readonly Draft[]): Block {
  const logs = drafts.map((draft, index) => ({ ...draft, transactionIndex: index, logIndex: index }))
  const transactions = logs.map(({ transactionIndex }) => {
    return [transactionIndex, { hash: word(1_000 + transactionIndex), from: MAKER, value: 0n }] as const
  })
  return {
    number,
    hash: word(number),
    parentHash: word(number - 1),
    timestamp: NOW + number,
    logs,
    transactions: new Map(transactions),
  }
}

const process = (pairs: Pairs, blocks: readonly Block[], options = {}) =>
  pairs.processor().process(blocks, emptyBook(), 'latest', options)

test('a pool is stored with its creation, its maker and the trades of the same block', async () => {
  const pair = pairOf(7)
  const later = [
    { address: pair, topics: [SYNC], data: words(900, 2_000) },
    { address: pair, topics: [SWAP, word(MAKER), word(MAKER)], data: words(100, 0, 0, 90) },
  ]
  const { creations, trades, denied } = await process(new Pairs([pair]), [block(5, [created(pair), ...later])])
  const place = { pool: pair, blockNumber: 5, timestamp: NOW + 5, transactionIndex: 0 }
  expect(creations).toEqual([{ ...place, txHash: word(1_000), creator: MAKER }])
  expect(trades).toMatchObject([{ sell: { token: A, amount: 100n }, buy: { token: pair, amount: 90n } }])
  expect(denied).toEqual([])
})

test('pools inside a manager and a vault are created by its own events', async () => {
  const poolId: Hex = '0x049116bf41c6d7e37b65c055bde33035e3c829c7973fe2657510112f069a07eb'
  const [token, usdt]: [Address, Address] = [
    '0x7f426f6dc648e50464a0392e60e1bb465a67e9cf',
    '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
  ]
  const initialized: Draft = {
    address: MANAGER,
    topics: [
      topicOf('Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)'),
      ...[poolId, word(token), word(usdt)],
    ],
    data: words(990_002, 19_800, 0, 1, 0),
  }
  const vaultId: Hex = `0x${'b1'.repeat(20)}${'0'.repeat(24)}`
  const registered: Draft = {
    address: VAULT,
    topics: [topicOf('PoolRegistered(bytes32,address,uint8)'), vaultId, word(pairOf(0xba1))],
    data: words(0),
  }
  const { creations } = await process(new Pairs([]), [block(5, [initialized]), block(6, [registered])])
  expect(creations.map(({ pool, blockNumber }) => [pool, blockNumber])).toEqual([
    [`${MANAGER}${poolId.slice(2)}`, 5],
    [`${VAULT}${vaultId.slice(2)}`, 6],
  ])
})

// Impostors name a pool of the factory, also one that is configured; the factory names one that it does not confirm.
test('no other contract creates a pool, and no pool that the factory does not confirm', async () => {
  const [pair, ghost] = [pairOf(7), pairOf(8)]
  const blocks = [
    block(4, [created(pair, IMPOSTOR), created(pair, OTHER)]),
    block(5, [created(pair), created(ghost)]),
    block(6, [created(pair, IMPOSTOR)]),
  ]
  const { creations, denied } = await process(new Pairs([pair]), blocks)
  expect(creations).toMatchObject([{ pool: pair, blockNumber: 5 }])
  expect(denied).toEqual([])
})

test('a flood of new pools costs the head a bounded number of calls, and is verified later', async () => {
  const flood = Array.from({ length: 3_000 }, (_, n) => pairOf(0x1000 + n))
  const traded = flood.at(-1) ?? A
  const swap = { address: traded, topics: [SWAP, word(MAKER), word(MAKER)], data: words(100, 0, 0, 90) }
  const blocks = [block(5, [...flood.map((pair) => created(pair)), swap])]
  const pairs = new Pairs(flood)
  const { creations, trades, denied } = await process(pairs, blocks, { deferKeys: true })
  expect(creations).toHaveLength(65)
  expect(creations).toContainEqual(expect.objectContaining({ pool: traded }))
  expect(trades).toHaveLength(1)
  expect(denied).toHaveLength(flood.length - 65)
  expect(pairs.calls).toBeLessThan(2_000)
  const [history, again] = [
    await process(new Pairs(flood), blocks),
    await process(new Pairs(flood), blocks, { deferKeys: true, recheckDenied: true }),
  ]
  for (const { creations: all, denied: none } of [history, again]) {
    expect(all).toHaveLength(flood.length)
    expect(none).toEqual([])
  }
})

test('the events that create pools are requested', () => {
  expect(watchedTopics(deployment)).toEqual(
    expect.arrayContaining([PAIR_CREATED, topicOf('PoolRegistered(bytes32,address,uint8)')]),
  )
})
