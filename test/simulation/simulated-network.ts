import { setTimeout as delay } from 'node:timers/promises'
import { type Chain, openChain } from '@dexfeed/chain'
import {
  createRandom,
  type HostileNode,
  type Random,
  type ScriptedChain,
  scriptedChain,
  scriptedMarket,
  seededWeather,
  startHostileNode,
  type Weather,
} from '@dexfeed/devnet'
import { NETWORKS, type NetworkName } from '@dexfeed/dex'
import { type Database, openIndexerStore, type RangeCommit } from '@dexfeed/store'
import { type LazyQueue, lazyQueue } from '../../apps/indexer/src/lazy-queue.ts'
import { openQueue } from '../../apps/indexer/src/queue.ts'
import { runNetwork } from '../../apps/indexer/src/run-network.ts'
import { watchedTopics } from '../../apps/indexer/src/watched-topics.ts'
import { hastyClock } from './hasty-clock.ts'

const FINALITY_DEPTH = 24
/** Nothing that any head ever made final is taken back. */
const DEEPEST_REORG = FINALITY_DEPTH - 3
const ENDPOINTS = 2
const SPEED = 100
/** Longer than an honest node takes on a busy machine, shorter than a late answer. */
const REQUEST_TIMEOUT_MS = 400
const OPERATION_TIMEOUT_MS = 200_000
const POLL_MS = 1_000
/** 20:00 UTC: some four hours of blocks cross midnight. */
const START_TIME = Date.UTC(2026, 0, 1, 20) / 1000
const BLOCK_TIME_S = 12
const LOG_LINES = 400

export interface SimulatedNetwork {
  readonly network: NetworkName
  readonly chain: ScriptedChain
  readonly weather: Weather
  readonly random: Random
  /** Last lines of the indexing's log. */
  readonly lines: readonly string[]
  /** Number of the last committed block. */
  committedHead(): number
  reorgs(): number
  start(): void
  stop(): Promise<void>
  /** Makes blocks, or takes some back and makes others. */
  move(): void
  mine(count: number): void
  close(): Promise<void>
}

/** The database, which keeps the queue as well. */
export interface SimulationPlace {
  url: string
  database: Database
}

/** A network with two hostile nodes and the real indexing on them. */
export async function simulatedNetwork(
  network: NetworkName,
  place: SimulationPlace,
  seed: number,
  firstBlocks: number,
): Promise<SimulatedNetwork> {
  const { chainId } = NETWORKS[network]
  const market = scriptedMarket(network, FINALITY_DEPTH)
  const times = { startTime: START_TIME, blockTimeS: BLOCK_TIME_S }
  const chain = scriptedChain({ market, chainId, seed, ...times })
  const wrongChain = scriptedChain({ market, chainId: 424_242, seed: seed + 1, ...times })
  chain.mine(firstBlocks)
  wrongChain.mine(firstBlocks + 50)
  const weather = seededWeather(createRandom(seed + 2), ENDPOINTS)
  const nodes: HostileNode[] = []
  for (let endpoint = 0; endpoint < ENDPOINTS; endpoint++) {
    const random = createRandom(seed + 10 + endpoint)
    nodes.push(await startHostileNode({ chain, wrongChain, weather, endpoint, random, finalityDepth: FINALITY_DEPTH }))
  }
  const random = createRandom(seed + 3)
  const indexing = indexingOf(network, place, chain, nodes, createRandom(seed + 4))
  let highest = chain.blocks.length - 1
  let reorgs = 0

  const announce = () => {
    highest = Math.max(highest, chain.blocks.length - 1)
    for (const node of nodes) node.announce()
  }
  const mine = (count: number) => {
    chain.mine(count)
    announce()
  }
  const reorg = () => {
    const most = Math.min(DEEPEST_REORG, chain.blocks.length - 1 - (highest - DEEPEST_REORG))
    if (most < 1) return
    const depth = 1 + random.integer(random.next() < 0.7 ? Math.min(3, most) : most)
    chain.reorg(depth, Math.max(1, depth - 1 + random.integer(4)))
    reorgs++
    announce()
  }
  const move = () => {
    const dice = random.next()
    if (dice < 0.1) {
      reorg()
      // A cascade: the chain changes its mind while the first reorg is being followed.
      if (random.next() < 0.4) setTimeout(reorg, 1 + random.integer(12))
    } else mine(dice < 0.12 ? 40 : 1 + random.integer(3))
  }
  return {
    network,
    chain,
    weather,
    random,
    lines: indexing.lines,
    committedHead: indexing.head,
    reorgs: () => reorgs,
    start: indexing.start,
    stop: indexing.stop,
    move,
    mine,
    close: async () => {
      await indexing.stop()
      for (const node of nodes) await node.stop()
    },
  }
}

interface Running {
  stop: AbortController
  done: Promise<void>
  chain: Chain
  queue: LazyQueue
}

function indexingOf(
  network: NetworkName,
  { url: databaseUrl, database }: SimulationPlace,
  { market: { deployment } }: ScriptedChain,
  nodes: readonly HostileNode[],
  random: Random,
) {
  const lines: string[] = []
  const note = (level: string) => (values: object, message: string) => {
    const error = 'err' in values && values.err instanceof Error ? values.err.message : ''
    lines.push(`${network} ${level} ${message} ${JSON.stringify(values)} ${error}`)
    if (lines.length > LOG_LINES) lines.shift()
  }
  const log = { debug: () => undefined, info: note('info'), warn: note('warn'), error: note('error') }
  let head = -1
  let running: Running | null = null
  const committed = ({ live, from, to, trades }: RangeCommit) => {
    head = live?.head.number ?? head
    const taken = live === null ? 'filled' : `followed, taken back to ${live.rollbackTo}, final ${live.finalNumber}`
    lines.push(`${network} committed ${from} to ${to}: ${trades.length} trades, ${taken}`)
  }
  const start = () => {
    const clock = hastyClock(SPEED, random)
    const urls = nodes.flatMap(({ url, wsUrl }) => [url, wsUrl])
    const chain = openChain(
      {
        network,
        urls,
        topics: watchedTopics(deployment),
        pollMs: POLL_MS,
        requestTimeoutMs: REQUEST_TIMEOUT_MS,
        operationTimeoutMs: OPERATION_TIMEOUT_MS,
        log,
      },
      clock,
    )
    const stop = new AbortController()
    const store = openIndexerStore(database, network)
    const settings = { startBlock: 0, backfillDays: 7 }
    const queue = lazyQueue(() => openQueue({ redisUrl: null, databaseUrl }, network, log))
    const done = runNetwork(
      {
        ...{ chain, store, deployment, queue, log, committed, clock },
        start: settings,
        role: 'both',
        concurrency: 2,
        progressed: () => undefined,
        wash: null,
        judged: () => undefined,
      },
      stop.signal,
    )
    void done.then(() => {
      if (!stop.signal.aborted) lines.push(`${network} the indexing ended by itself`)
    })
    running = { stop, done, chain, queue }
  }
  const stop = async () => {
    const ending = running
    running = null
    ending?.stop.abort()
    // As the program does: what waits for a node stops waiting.
    await ending?.chain.close()
    await ending?.done
    await ending?.queue.close()
  }
  return { lines, head: () => head, start, stop }
}

/** Waits until a condition holds. @throws with what `story` tells when that takes too long */
export async function until(
  condition: () => boolean | Promise<boolean>,
  limitMs: number,
  story: () => string,
): Promise<void> {
  for (const deadline = Date.now() + limitMs; !(await condition()); await delay(2)) {
    if (Date.now() > deadline) throw new Error(story())
  }
}
