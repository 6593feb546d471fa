import type { Chain } from '@dexfeed/chain'
import { type Block, type BlockHeader, builtInDeployments } from '@dexfeed/dex'
import type { IndexerStore, LiveCommit } from '@dexfeed/store'
import { expect, test } from 'vitest'
import { emptyBook, quiet } from '../../test/scene/made-values.ts'
import type { BlockProcessor } from '../blocks/process-blocks.ts'
import { PoolCache } from '../pools/pool-cache.ts'
import { Follower } from './follower.ts'
import { PoolRanks } from './pool-states/read-order.ts'

const DEPTH = 4
const block = (number: number, branch = 'a', parent = branch): Block => ({
  number,
  hash: `0x${branch}${number}`,
  parentHash: `0x${parent}${number - 1}`,
  timestamp: 1_000 + number,
  logs: [],
  transactions: new Map(),
})
const span = (from: number, to: number, branch = 'a') =>
  Array.from({ length: to - from + 1 }, (_, i) => block(from + i, branch))

interface SceneOptions {
  /** Ascending; the last one is the committed head. */
  stored: readonly BlockHeader[]
  /** The chain's headers, by height. */
  headers: readonly Block[]
  tagged: number | null
  readBlocks?: Chain['readBlocks']
  depth?: number
  /** Runs after each read of blocks, for example to let the chain grow. */
  afterRead?: () => void
  invalidate?: IndexerStore['invalidate']
  onInvalidate?: (pools: number) => void
  /** Runs when the reference prices are read from the chain. */
  onBook?: () => void
  /** Receives the block at which contracts are called. */
  onProcess?: (at: string) => void
}

/** Opens a follower with a fake chain and store, and records its requests. */
function openFollower({ stored, headers, tagged, readBlocks, depth = DEPTH, afterRead, ...findings }: SceneOptions) {
  const commits: LiveCommit[] = []
  const ranges: [number, number][] = []
  if (headers.length === 0 || stored[0] === undefined) throw new Error('no blocks')
  const deployment = { ...builtInDeployments.eth, finalityDepth: depth }
  const headerAt = (number: number) => headers.find((header) => header.number === number) ?? null
  const read = (from: number, to: number) => {
    const blocks = headers.filter(({ number }) => number >= from && number <= to)
    afterRead?.()
    return blocks
  }
  const chain = {
    head: async () => headers.at(-1),
    finalized: async () => tagged,
    header: async (number: number) => headerAt(number),
    hashesAt: async (number: number) => ({ hashes: [headerAt(number)?.hash ?? null], silent: 0 }),
    knowFinal: () => undefined,
    readBlocks: readBlocks ?? (async (from: number, to: number) => read(from, to)),
    async readRange(from: number, to: number) {
      ranges.push([from, to])
      return { from, to, blocks: read(from, to) }
    },
  } as unknown as Chain
  const store = {
    reorgableBlocks: async () => [...stored],
    loadPoolStates: async () => [],
    poolsCreatedAbove: async () => [],
    invalidatedPools: async () => [],
    coveredRanges: async () => [{ from: 0, to: 1_000, fromTime: 0, toTime: 0 }],
    networkRow: async () => null,
    invalidate: findings.invalidate,
    async commitHead({ live }: { live: LiveCommit }) {
      commits.push(live)
    },
  } as unknown as IndexerStore
  const processed = { trades: [], hops: [], events: [], creations: [], skipped: [] }
  const processor = {
    process: async (_blocks: unknown, _book: unknown, at: string) => {
      findings.onProcess?.(at)
      return processed
    },
  } as unknown as BlockProcessor
  const book = emptyBook()
  const follower = new Follower({
    ranks: new PoolRanks(),
    chain,
    store,
    deployment,
    processor,
    anchor: stored[0],
    epoch: 1,
    log: quiet,
    onCommit: () => undefined,
    registry: { canProve: () => false },
    references: { version: 0 },
    known: new PoolCache(deployment, { pools: [], tokens: [] }),
    bookAfter: async () => {
      findings.onBook?.()
      return book
    },
    onInvalidate: findings.onInvalidate,
  })
  return { follower, commits, ranges }
}

//  7 - 8 - 9 - 10 - .. - 20     the node calls 20 final
test('a tag alone makes nothing final: that needs the depth as well', async () => {
  const { follower, commits } = openFollower({ stored: [block(10)], headers: span(1, 20), tagged: 20 })
  while (commits.at(-1)?.head.number !== 20) await follower.step()
  expect(Math.max(...commits.map(({ finalNumber }) => finalNumber))).toBe(20 - DEPTH)
})

//  7 - 8 - 9 - 10 - .. - 20     70     the node's head, which would make 66 final, is invented
test('a head that is far above what the node has makes nothing final', async () => {
  const { follower, commits } = openFollower({
    stored: [block(10)],
    headers: [...span(1, 20), block(70)],
    tagged: null,
    readBlocks: async () => span(11, 20),
  })
  await follower.step()
  expect(commits.map(({ head, finalNumber }) => [head.number, finalNumber])).toEqual([[20, 0]])
})

//  8 - 9 - 10                   committed
//   \
//    9'- 10'- .. - 110'         the chain, final up to 106
test('a follower that catches up first checks that the chain has its head', async () => {
  const headers = [...span(1, 8), block(9, 'b', 'a'), ...span(10, 110, 'b')]
  const { follower, commits, ranges } = openFollower({ stored: span(7, 10), headers, tagged: null })
  await follower.step()
  expect(ranges).toEqual([])
  expect(commits.map(({ rollbackTo }) => rollbackTo)).toEqual([8])
})

//  9 - 10 - .. - 110            the node's block 10, which is committed
//   \
//    10'- 11'- .. - 110'        blocks of another node at the same URL
test('final blocks that do not build on the committed head are not committed', async () => {
  const { follower, commits } = openFollower({
    stored: span(9, 10),
    headers: [...span(1, 10), ...span(11, 110, 'b')],
    tagged: null,
  })
  await follower.step()
  expect(commits).toEqual([])
})

//  10 - .. - 900               final up to 700; the chain grows by 5 blocks during each read
test('a head that is far above what is final is reached although the chain grows meanwhile', async () => {
  const headers = span(1, 900)
  const grow = () => headers.push(...span(headers.length + 1, headers.length + 5))
  const { follower, commits, ranges } = openFollower({
    stored: span(9, 10),
    headers,
    tagged: null,
    depth: 200,
    afterRead: grow,
  })
  for (let steps = 0; steps < 30; steps++) await follower.step()
  expect(headers.length - (commits.at(-1)?.head.number ?? 0)).toBeLessThanOrEqual(5)
  expect(ranges).toEqual([[11, 700]])
})

//  8 - 9 - 10                   committed
//   \
//    9'- 10'- 11'               the chain; first it returns a third branch
test('a new branch that does not build on the common ancestor is not committed', async () => {
  const headers = [...span(1, 8), block(9, 'b', 'a'), ...span(10, 11, 'b')]
  let readings = 0
  const { follower, commits } = openFollower({
    stored: span(7, 10),
    headers,
    tagged: null,
    async readBlocks(from, to) {
      readings++
      // The first read is above the committed head; the next two read the new branch.
      if (readings === 2) return [block(9, 'c'), ...span(10, 11, 'c')]
      return headers.filter(({ number }) => number >= from && number <= to)
    },
  })
  await follower.step()
  expect(readings).toBe(2)
  expect(commits).toEqual([])
  await follower.step()
  expect(commits.map(({ rollbackTo, head }) => [rollbackTo, head.hash])).toEqual([[8, '0xb11']])
})

test('a finding is stored first, then its pools are read again immediately', async () => {
  const notes: string[] = []
  const { follower } = openFollower({
    stored: [block(10)],
    headers: span(1, 10),
    tagged: null,
    invalidate: async (pools) => {
      if (notes.length === 0) throw new Error(`no database, attempt ${notes.push('first')}`)
      notes.push(`database ${pools.length}`)
    },
    onInvalidate: (pools) => notes.push(`counted ${pools}`),
  })
  follower.pools.resync = (pools) => void notes.push(`pools ${[...pools].length}`)
  const findings = [{ pool: '0xaa', blockNumber: 9 }] as const
  await expect(follower.invalidate(findings)).rejects.toThrow('no database')
  expect(notes).toEqual(['first'])
  await follower.invalidate(findings)
  await follower.invalidate([])
  expect(notes).toEqual(['first', 'database 1', 'pools 1', 'counted 1'])
})

test('after a finding the reference prices are read from the chain again, once', async () => {
  const headers = span(1, 10)
  let books = 0
  const { follower, commits } = openFollower({
    stored: [block(10)],
    headers,
    tagged: null,
    invalidate: async () => undefined,
    onBook: () => {
      books++
    },
  })
  const go = async () => {
    headers.push(block(headers.length + 1))
    await follower.step()
  }
  await go()
  await go()
  expect(books).toBe(1)
  await follower.invalidate([{ pool: '0xaa', blockNumber: 9 }])
  await go()
  await go()
  expect([books, commits.at(-1)?.head.number]).toEqual([2, 14])
})

test.each([
  ['far below the head are called at the head, whose state no node has pruned', 230, 'a230'],
  ['near the head are called at their own block', 110, 'a110'],
])('contracts of blocks %s', async (_name, head, at) => {
  const asked: string[] = []
  const chain = span(90, head)
  // Nothing is final, so blocks are read like those at the head.
  const follower = openFollower({
    stored: span(98, 100),
    headers: chain,
    tagged: null,
    depth: 1_000,
    onProcess: (where) => asked.push(where),
  }).follower
  await follower.step()
  expect(asked).toEqual([`0x${at}`])
})
