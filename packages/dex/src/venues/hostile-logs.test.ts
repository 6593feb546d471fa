import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { madePool } from '../../test/made-hop.ts'
import { shapeOf, topicOf } from '../abi/contract-abi.ts'
import { MAX_UINT256 } from '../abi/words.ts'
import type { Address, Hex, Log } from '../chain.ts'
import type { DexKind, Pool, PoolAddress } from '../pool.ts'
import type { PoolEvent } from '../pool-event.ts'
import { toHops } from '../trades/hops.ts'
import { WITHOUT_TOPIC } from './protocol.ts'
import { DEX_KINDS, decodersOf, protocolOf } from './registry.ts'

/**
 * Any contract can emit any log, and a verified contract may emit what its caller chooses. No decoder may throw,
 * whatever the topics and the data. The result must be no hop, or a hop between two different tokens with two possible
 * amounts.
 */
const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [EMITTER, WETH, FOO, BAR, ETHER] = [address('aa'), address('ee'), address('0f'), address('ba'), address('00')]
const MARK = `0x${'ee'.repeat(20)}`
const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, '0')
const words = fc
  .oneof(
    fc.constantFrom(0n, 1n, 2n, 31n, 32n, 2n ** 127n, 2n ** 128n, 2n ** 255n, MAX_UINT256, MAX_UINT256 - 1n),
    fc.constantFrom(WETH, FOO, BAR, ETHER, MARK).map(BigInt),
    fc.bigInt(0n, MAX_UINT256),
  )
  .map(word)
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((list) => Buffer.from(list).toString('hex')),
  fc.array(words, { maxLength: 40 }).map((list) => list.join('')),
)

/** Generates logs of an event: mostly of its shape with arbitrary words, otherwise of any shape. */
function logsOf(event: string): fc.Arbitrary<Log> {
  const { topics, words: count, pointers, lists } = shapeOf(event)
  const own = fc.tuple(
    fc.array(words, { minLength: topics - 1, maxLength: topics - 1 }),
    dataOf(count, pointers, lists),
  )
  const any = fc.tuple(fc.array(words, { maxLength: 4 }), bytes)
  return fc.oneof({ weight: 3, arbitrary: own }, any).map(([others, data]): Log => {
    const all: Hex[] = [topicOf(event), ...others.map((text): Hex => `0x${text}`)]
    return { address: EMITTER, topics: all, data: `0x${data}`, transactionIndex: 0, logIndex: 0 }
  })
}

function dataOf(count: number, texts: readonly number[], lists: readonly number[]): fc.Arbitrary<string> {
  const [pointers, unit] = lists.length === 0 ? [texts, 32] : [lists, 1]
  const tail = fc.array(words, { maxLength: 3 })
  const all = fc.tuple(
    fc.array(words, { minLength: count, maxLength: count }),
    fc.array(tail, { minLength: pointers.length, maxLength: pointers.length }),
  )
  return all.map(([head, tails]) => {
    let end = count
    const data = [...head]
    pointers.forEach((pointer, at) => {
      data[pointer] = word(BigInt(end * 32))
      end += 1 + (tails[at]?.length ?? 0)
    })
    return [...data, ...tails.flatMap((list) => [word(BigInt(list.length * unit)), ...list])].join('')
  })
}

function poolOf(kind: DexKind, pool: PoolAddress): Pool {
  return madePool(pool, [FOO, BAR], {
    dex: { name: kind, kind, factory: EMITTER },
    fee: 0,
    coins: [FOO, BAR, ETHER],
    underlying: [FOO, BAR, WETH],
  })
}

function expectSense(kind: DexKind, event: PoolEvent): void {
  const { hops } = toHops([event], new Map([[event.pool, poolOf(kind, event.pool)]]), WETH)
  for (const { tokenIn, tokenOut, amountIn, amountOut } of hops) {
    expect(tokenIn).not.toBe(tokenOut)
    for (const text of [tokenIn, tokenOut]) expect(text).toMatch(/^0x[0-9a-f]{40}$/)
    for (const amount of [amountIn, amountOut]) expect(amount > 0n && amount <= MAX_UINT256).toBe(true)
  }
}

describe.each(DEX_KINDS)('%s', (kind) => {
  const decoders = decodersOf([kind])
  test.each(Object.keys(protocolOf(kind).events))('%s', (event) => {
    fc.assert(
      fc.property(logsOf(event), (log) => {
        const read = decoders.get(log.topics[0] ?? WITHOUT_TOPIC)?.(log) ?? null
        if (read !== null) expectSense(kind, read)
      }),
      { numRuns: 40 * inject('scale') },
    )
  })
})

test('logs without a topic', () => {
  const kinds = DEX_KINDS.filter((kind) => protocolOf(kind).withoutTopic !== undefined)
  const data = fc.oneof(
    bytes,
    fc.array(words, { minLength: 3, maxLength: 3 }).map((list) => `${MARK.slice(2)}${list.join('')}`),
  )
  for (const kind of kinds) {
    fc.assert(
      fc.property(data, (text) => {
        const log: Log = { address: EMITTER, topics: [], data: `0x${text}`, transactionIndex: 0, logIndex: 0 }
        const read = protocolOf(kind).withoutTopic?.(log) ?? null
        if (read !== null) expectSense(kind, read)
      }),
      { numRuns: 400 * inject('scale') },
    )
  }
})

test('data of a megabyte is checked quickly', () => {
  const data: Hex = `0x${'ff'.repeat(2 ** 20)}`
  const decoders = decodersOf(DEX_KINDS)
  for (const [topic, decode] of decoders) {
    for (let others = 0; others < 5; others++) {
      const topics = topic === WITHOUT_TOPIC ? [] : [topic, ...Array.from({ length: others }, () => topic)]
      expect(decode({ address: EMITTER, topics, data, transactionIndex: 0, logIndex: 0 })).toBeNull()
    }
  }
})
