import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, type Random } from '@dexfeed/devnet'
import { MINUTE, NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { IndexerRole } from '@dexfeed/service'
import {
  type Crowd,
  type Fault,
  faultsAt,
  type HostileNode,
  type HostilePortal,
  type Proofs,
  type ScriptedChain,
  type SeededFaultSchedule,
  scriptedChain,
  scriptedMarket,
  seededFaultSchedule,
  startHostileNode,
  startHostilePortal,
} from '../index.ts'
import { type Indexing, indexingOf, type ReadTally, SPEED } from './indexing.ts'

const FINALITY_DEPTH = 24
/** Shallower than the finality depth, because a final block must stay. */
const DEEPEST_REORG = FINALITY_DEPTH - 3
const INDEXERS = 2
/** 20:00 UTC, so that four hours of blocks reach midnight. */
const START_TIME = Date.UTC(2026, 0, 1, 20) / 1000
const BLOCK_TIME_S = 12

export interface SimulatedNetwork {
  readonly network: NetworkName
  readonly chain: ScriptedChain
  readonly schedule: SeededFaultSchedule
  readonly portal: HostilePortal | null
  readonly random: Random
  readonly indexings: readonly Indexing[]
  readonly proofs: readonly Proofs[]
  readonly reads: Readonly<ReadTally>
  readonly rpcUrls: readonly string[]
  readonly startBlock: number
  readonly progress: Readonly<Record<'head' | 'reorgs' | 'rollbacks', number>>
  start(role: IndexerRole): Promise<void>
  stop(): Promise<void>
  move(): void
  mine(count: number): void
  reorg(): void
  close(): Promise<void>
}

export interface SimulatedNetworkOptions {
  network: NetworkName
  databaseUrl: string
  seed: number
  firstBlocks: number
  first: readonly Fault[]
  faults: readonly Fault[]
  patience: number
  blooms?: Crowd | undefined
  hasPortal: boolean
  proofs: readonly Proofs[]
}

export async function simulatedNetwork(options: SimulatedNetworkOptions): Promise<SimulatedNetwork> {
  const { network, databaseUrl, seed, firstBlocks, patience, blooms = 'usual', hasPortal, proofs } = options
  const { chainId } = NETWORKS[network]
  const market = scriptedMarket(network, FINALITY_DEPTH)
  const times = { startTime: START_TIME, blockTimeS: BLOCK_TIME_S }
  const chain = scriptedChain({ market, chainId, seed, blooms, ...times })
  const wrongChain = scriptedChain({ market, chainId: 424_242, seed: seed + 1, ...times })
  chain.mine(firstBlocks)
  wrongChain.mine(firstBlocks + 50)
  const schedule = scheduleOf(options)
  const nodes: HostileNode[] = []
  for (const [endpoint, shown] of proofs.entries()) {
    const ofNode = { endpoint, proofs: shown, random: createRandom(seed + 10 + endpoint) }
    nodes.push(await startHostileNode({ ...ofNode, chain, wrongChain, schedule }))
  }
  const portalOptions = { chain, random: createRandom(seed + 30), proofs }
  const portal = hasPortal ? await startHostilePortal(portalOptions) : null
  const startBlock = Math.floor((firstBlocks - FINALITY_DEPTH) * 0.7)
  const reads: ReadTally = { proven: 0, unproven: 0, archived: 0, falseBlocks: 0 }
  const progress = { head: -1, reorgs: 0, rollbacks: 0 }
  const indexings = Array.from({ length: INDEXERS }, (_, i) =>
    indexingOf({
      databaseUrl,
      startBlock,
      patience,
      deployment: market.deployment,
      random: createRandom(seed + 20 + i),
      urls: nodes.flatMap(({ url, wsUrl }) => [url, wsUrl]),
      portalUrl: portal?.url ?? null,
      startTime: START_TIME + firstBlocks * BLOCK_TIME_S,
      reads,
      committed: (commit) => {
        if (!('live' in commit)) return
        progress.head = commit.live.head.number
        if (commit.live.rollbackTo !== null) progress.rollbacks++
      },
    }),
  )
  const random = createRandom(seed + 3)
  const moves = movesOf(chain, nodes, progress, { moves: createRandom(seed + 4), cascades: createRandom(seed + 5) })
  return {
    network,
    chain,
    schedule,
    portal,
    random,
    indexings,
    proofs,
    reads,
    rpcUrls: nodes.map(({ url }) => url),
    startBlock,
    progress,
    start: async (role) => {
      for (const indexing of indexings) await indexing.start(role)
    },
    stop: async () => {
      await Promise.all(indexings.map((indexing) => indexing.stop()))
    },
    move: () => {
      schedule.onMove()
      moves.move()
    },
    mine: moves.mine,
    reorg: moves.reorg,
    close: async () => {
      await Promise.all(indexings.map((indexing) => indexing.stop()))
      for (const server of [...nodes, portal]) await server?.stop()
    },
  }
}

function scheduleOf({ seed, first, faults, proofs }: SimulatedNetworkOptions): SeededFaultSchedule {
  const later = faultsAt(proofs).filter((fault) => faults.includes(fault))
  return seededFaultSchedule({ random: createRandom(seed + 2), first, later, endpoints: proofs.length, setAsideMs })
}

/** Indexers avoid a lying endpoint for a minute, or for ten if it lacks logs, and may notice the lie late. */
function setAsideMs(lie: Fault): number {
  return (lie === 'limit-error' ? 11 * MINUTE : 5 * MINUTE) / SPEED
}

function movesOf(
  chain: ScriptedChain,
  nodes: readonly HostileNode[],
  progress: { reorgs: number },
  random: { moves: Random; cascades: Random },
) {
  let highest = chain.blocks.length - 1
  const announce = () => {
    highest = Math.max(highest, chain.blocks.length - 1)
    for (const node of nodes) node.announce()
  }
  const mine = (count: number) => {
    chain.mine(count)
    announce()
  }
  const reorg = (dice: Random) => {
    const max = Math.min(DEEPEST_REORG, chain.blocks.length - 1 - (highest - DEEPEST_REORG))
    if (max < 1) return
    const depth = 1 + dice.integer(dice.next() < 0.7 ? Math.min(3, max) : max)
    chain.reorg(depth, Math.max(1, depth - 1 + dice.integer(4)))
    progress.reorgs++
    announce()
  }
  const move = () => {
    const dice = random.moves.next()
    if (dice < 0.1) {
      reorg(random.moves)
      if (random.moves.next() < 0.4) setTimeout(() => reorg(random.cascades), 1 + random.moves.integer(12))
    } else mine(dice < 0.12 ? 40 : 1 + random.moves.integer(3))
  }
  return { move, mine, reorg: () => reorg(random.moves) }
}

/**
 * Waits for a condition.
 *
 * @throws an error with `story` after `limitMs`, or the signal's reason
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  limitMs: number,
  story: () => string,
  signal: AbortSignal,
): Promise<void> {
  for (const deadline = Date.now() + limitMs; !(await condition()); await delay(2)) {
    signal.throwIfAborted()
    if (Date.now() > deadline) throw new Error(story())
  }
}
