import { type Chain, openChain } from '@dexfeed/chain'
import { createRandom } from '@dexfeed/devnet'
import { type Block, MINUTE, NETWORKS, type NetworkName, SECOND } from '@dexfeed/dex'
import {
  type Fault,
  faultsAt,
  type HostileNode,
  PROVABLY_FALSE,
  type Proofs,
  type ScriptedChain,
  scriptedChain,
  scriptedMarket,
  startHostileNode,
} from '@dexfeed/fake-node'
import { watchedTopics } from '@dexfeed/indexer/process-blocks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// Every lie about a whole block, told of one block after the other by the preferred one of two nodes.
const BLOCKS = 40
const FINALITY_DEPTH = 24
const isOfBlocks = (fault: Fault) => fault.startsWith('block-receipts-') || /^(header|body)-/.test(fault)
const PROVEN = faultsAt(['block-receipts', 'block-receipts']).filter(isOfBlocks)
/** Where nothing proves a block, the other node shows who signed its transactions. */
const UNPROVEN: readonly Fault[] = ['body-cut', 'block-in-part']

/** What a node that is on two branches for a moment tells, which is no lie. */
const NO_LIE: Fault = 'block-receipts-of-parent'

/** The blocks in the middle of the range are the first ones with headers of Amsterdam. */
const AMSTERDAM_FROM = 25

describe.each<[NetworkName, 'proven' | 'unproven', Proofs, readonly Fault[]]>([
  ['eth', 'proven', 'block-receipts', PROVEN],
  ['polygon', 'proven', 'block-receipts', PROVEN],
  ['eth', 'unproven', 'none', UNPROVEN],
  ['polygon', 'unproven', 'none', UNPROVEN],
])('on %s, %s', (network, how, proofs, lies) => {
  const market = scriptedMarket(network, FINALITY_DEPTH)
  const options = { market, chainId: NETWORKS[network].chainId, startTime: 1_700_000_000, blockTimeS: 12 }
  const fork = network === 'eth' ? { amsterdamFrom: AMSTERDAM_FROM } : {}
  const chain = scriptedChain({ ...options, ...fork, seed: 5, blooms: 'full' })
  chain.mine(BLOCKS + 5)
  chain.reorg(BLOCKS, BLOCKS)
  let fault: Fault | null = null
  const nodes: HostileNode[] = []
  const told: string[] = []
  const read: string[] = []
  const clock = timeThatSomebodyWaitsFor()
  let client: Chain

  beforeAll(async () => {
    for (const endpoint of [0, 1]) {
      const schedule = { at: () => (endpoint === 0 ? fault : null) }
      const own = { endpoint, proofs, schedule, random: createRandom(endpoint) }
      nodes.push(await startHostileNode({ ...own, chain, wrongChain: chain, finalityDepth: FINALITY_DEPTH }))
    }
    const onWarning = (values: object, text: string) => {
      told.push(`${text} ${'err' in values && values.err instanceof Error ? values.err.message : ''}`)
    }
    const log = { debug: () => undefined, info: () => undefined, warn: onWarning, error: onWarning }
    const urls = nodes.map(({ url }) => url)
    const onRead = (_: number, as: string) => read.push(as)
    client = openChain({ network, urls, topics: watchedTopics(market.deployment), pollMs: 100, log, onRead }, clock)
  })

  afterAll(async () => {
    await client.close()
    for (const node of nodes) await node.stop()
  })

  it('a range across the fork, read as history and at the head, is that of the chain', async () => {
    for (const list of [told, read]) list.length = 0
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
    expect(new Set(read)).toEqual(new Set([how]))
    expect(told).toEqual([])
  })

  it.each(lies)('%s changes nothing that is read', async (lie) => {
    for (const list of [told, read]) list.length = 0
    for (let number = chain.blocks.length - BLOCKS; number < chain.blocks.length; number++) {
      fault = null
      await clock.sleep(5 * MINUTE)
      const [honest] = await client.readBlocks(number, number)
      if (honest === undefined) throw new Error('no block')
      const expected = written(chain, number, watchedTopics(market.deployment))
      expect(shown(honest)).toEqual(how === 'proven' ? expected : withoutReceipts(expected))
      fault = lie
      expect((await client.readBlocks(number, number)).map(shown)).toEqual([shown(honest)])
    }
    expect(new Set(read)).toEqual(new Set([how]))
    const named = told.filter((line) => /set aside.*shows a false block/.test(line))
    if (how === 'proven' && PROVABLY_FALSE.has(lie)) expect(named.length).toBeGreaterThan(0)
    if (lie === NO_LIE) expect(told).toEqual([])
  })
})

/** A block with the wanted logs, their transactions, and all logs of these. */
function shown({ number, hash, parentHash, timestamp, logs, transactions, receipts }: Block) {
  const all = [...transactions].map(([index, { hash: of, from, value }]) => {
    return { index, of, from, value, logs: receipts?.logsOf(index)?.map(placed) }
  })
  return { number, hash, parentHash, timestamp, logs: logs.map(placed), transactions: all }
}

/** The same by the chain itself; the chain's own transactions stand outside of what is proven. */
function written({ blocks }: ScriptedChain, number: number, topics: readonly string[]) {
  const block = blocks[number]
  if (block === undefined) throw new Error('no block')
  const { hash, parentHash, timestamp } = block
  const isWanted = (log: { topics: readonly string[] }) => topics.includes(log.topics[0] ?? '')
  const wanted = block.transactions.filter((one) => !one.isStateSync && one.placed.some(isWanted))
  const transactions = wanted.map(({ index, hash: of, from, value, placed: logs }) => {
    return { index, of, from, value, logs: logs.map(placed) }
  })
  const logs = wanted.flatMap((one) => one.placed.filter(isWanted).map(placed))
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

/** So long a block of the head waits beside the work until its transactions are compared. */
const BESIDE_MS = 30 * SECOND

/** Time passes as fast as somebody waits for it who has nothing else to do: what waits beside the work moves it for nobody. */
function timeThatSomebodyWaitsFor() {
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
