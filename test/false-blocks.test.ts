import { type Chain, openChain } from '@dexfeed/chain'
import { createRandom } from '@dexfeed/devnet'
import { type Block, MINUTE, NETWORKS, type NetworkName, SECOND } from '@dexfeed/dex'
import { watchedTopics } from '@dexfeed/indexer/process-blocks'
import {
  FAULTS,
  type Fault,
  faultsAt,
  type HostileNode,
  type Proofs,
  type ScriptedChain,
  scriptedChain,
  scriptedMarket,
  startHostileNode,
} from '@dexfeed/lab'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

// The preferred one of two nodes sends false data about whole blocks, one block after the other.
const BLOCKS = 40
const FINALITY_DEPTH = 24
const STEP = inject('scale') > 1 ? 1 : 3
const isOfBlocks = (fault: Fault) => fault.startsWith('block-receipts-') || /^(header|body)-/.test(fault)
const PROVEN = faultsAt(['block-receipts', 'block-receipts']).filter(isOfBlocks)
/** Without proofs, the other node shows the senders that the false block lacks. */
const UNPROVEN: readonly Fault[] = ['body-cut', 'block-in-part']

/** A node that switches to another branch may honestly send this for a moment. */
const HONEST_FAULT: Fault = 'block-receipts-of-parent'

const AMSTERDAM_FROM = 25

describe.each<[NetworkName, 'proven' | 'unproven', Proofs, readonly Fault[]]>([
  ['eth', 'proven', 'block-receipts', PROVEN],
  ['polygon', 'proven', 'block-receipts', PROVEN],
  ['eth', 'unproven', 'none', UNPROVEN],
  ['polygon', 'unproven', 'none', UNPROVEN],
])('on %s, %s', (network, how, proofs, faults) => {
  const market = scriptedMarket(network, FINALITY_DEPTH)
  const options = { market, chainId: NETWORKS[network].chainId, startTime: 1_700_000_000, blockTimeS: 12 }
  const fork = network === 'eth' ? { amsterdamFrom: AMSTERDAM_FROM } : {}
  const chain = scriptedChain({ ...options, ...fork, seed: 5, blooms: 'full' })
  chain.mine(BLOCKS + 5)
  chain.reorg(BLOCKS, BLOCKS)
  let fault: Fault | null = null
  const nodes: HostileNode[] = []
  const warnings: string[] = []
  const readings: string[] = []
  const clock = jumpingClock()
  let client: Chain

  beforeAll(async () => {
    for (const endpoint of [0, 1]) {
      const schedule = { at: () => (endpoint === 0 ? fault : null) }
      nodes.push(await startHostileNode({ endpoint, proofs, schedule, random: createRandom(endpoint), chain }))
    }
    const onWarning = (values: object, text: string) => {
      warnings.push(`${text} ${'err' in values && values.err instanceof Error ? values.err.message : ''}`)
    }
    const log = { debug: () => undefined, info: () => undefined, warn: onWarning, error: onWarning }
    const urls = nodes.map(({ url }) => url)
    const onRead = (_: number, as: string) => readings.push(as)
    client = openChain({ network, urls, topics: watchedTopics(market.deployment), pollMs: 100, log, onRead }, clock)
  })

  afterAll(async () => {
    await client.close()
    for (const node of nodes) await node.stop()
  })

  it('a range across the fork, read as history and at the head, equals the chain', async () => {
    for (const list of [warnings, readings]) list.length = 0
    fault = null
    const [from, to] = [AMSTERDAM_FROM - 8, AMSTERDAM_FROM + 8]
    const range = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    const expected = range
      .map((number) => written(chain, number, watchedTopics(market.deployment)))
      .map((block) => (how === 'proven' ? block : withoutReceipts(block)))
    expect((await client.readBlocks(from, to)).map(shown)).toEqual(expected)
    const history: Block[] = []
    for (let next = from; next <= to; ) {
      const part = await client.readRange(next, to)
      history.push(...part.blocks)
      next = part.to + 1
    }
    const busy = expected.filter(({ logs }) => logs.length > 0)
    expect(history.filter(({ logs }) => logs.length > 0).map(shown)).toEqual(busy)
    expect(new Set(readings)).toEqual(new Set([how]))
    expect(warnings).toEqual([])
  })

  it.each(faults)('%s does not change what is read', async (falsehood) => {
    for (const list of [warnings, readings]) list.length = 0
    for (let number = chain.blocks.length - BLOCKS; number < chain.blocks.length; number += STEP) {
      fault = null
      await clock.sleep(5 * MINUTE)
      const [honest] = await client.readBlocks(number, number)
      if (honest === undefined) throw new Error('no block')
      const expected = written(chain, number, watchedTopics(market.deployment))
      expect(shown(honest)).toEqual(how === 'proven' ? expected : withoutReceipts(expected))
      fault = falsehood
      expect((await client.readBlocks(number, number)).map(shown)).toEqual([shown(honest)])
    }
    expect(new Set(readings)).toEqual(new Set([how]))
    const named = warnings.filter((line) => /set aside.*shows a false block/.test(line))
    if (how === 'proven' && FAULTS[falsehood].lie === 'provable') expect(named.length).toBeGreaterThan(0)
    if (falsehood === HONEST_FAULT) expect(warnings).toEqual([])
  })
})

function shown({ number, hash, parentHash, timestamp, logs, transactions, receipts }: Block) {
  const all = [...transactions].map(([index, { hash: of, from, value }]) => {
    return { index, of, from, value, logs: receipts?.logsOf(index)?.map(placed) }
  })
  return { number, hash, parentHash, timestamp, logs: logs.map(placed), transactions: all }
}

/** Leaves out the chain's own transactions, which are not proven. */
function written({ blocks }: ScriptedChain, number: number, topics: readonly string[]) {
  const block = blocks[number]
  if (block === undefined) throw new Error('no block')
  const { hash, parentHash, timestamp } = block
  const isWatched = (log: { topics: readonly string[] }) => topics.includes(log.topics[0] ?? '')
  const watched = block.transactions.filter(
    (placedTransaction) => !placedTransaction.isStateSync && placedTransaction.placed.some(isWatched),
  )
  const transactions = watched.map(({ index, hash: of, from, value, placed: logs }) => {
    return { index, of, from, value, logs: logs.map(placed) }
  })
  const logs = watched.flatMap((placedTransaction) => placedTransaction.placed.filter(isWatched).map(placed))
  return { number, hash, parentHash, timestamp, logs, transactions }
}

function withoutReceipts({ transactions, ...block }: ReturnType<typeof written>) {
  return { ...block, transactions: transactions.map(({ logs: _, ...one }) => one) }
}

function placed({
  address,
  topics,
  data,
  logIndex,
}: Pick<Block['logs'][number], 'address' | 'topics' | 'data' | 'logIndex'>) {
  return { address, topics: [...topics], data, logIndex }
}

/** How long after reading a head block the client compares its transactions. */
const BESIDE_MS = 30 * SECOND

/** Jumps to the end of every wait, except of a background wait of `BESIDE_MS`. */
function jumpingClock() {
  let now = 0
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    now: () => now,
    random: () => 1,
    sleep: async (ms: number, signal?: AbortSignal) => {
      const due = now + ms
      await turn()
      while (ms === BESIDE_MS && now < due && signal?.aborted !== true) await turn()
      now = Math.max(now, due)
    },
  }
}
