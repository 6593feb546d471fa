import { writeFileSync } from 'node:fs'
import { openChain } from '@dexfeed/chain'
import { createRandom } from '@dexfeed/devnet'
import { type Deployment, NETWORKS, type NetworkName } from '@dexfeed/dex'
import {
  type Crowd,
  type Fault,
  type HostileNode,
  type Proofs,
  type ScriptedBlock,
  type ScriptedChain,
  scriptedChain,
  scriptedMarket,
  startHostileNode,
} from '@dexfeed/lab'
import { openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { watchedTopics } from '../../src/blocks/process-blocks.ts'
import { verifyDisplay } from '../../src/verify/verify-display.ts'
import { type VerifyRequest, verifyNetwork } from '../../src/verify/verify-network.ts'
import { quiet } from './made-values.ts'
import { indexedDatabase, type RunningIndexer, type RunOptions, runIndexer } from './run-indexer.ts'

export interface Verified {
  isRight: boolean
  /** The lines of standard output. */
  lines: string[]
  notes: string[]
}

/** A chain in memory with its nodes, which end with the test, and actions on both. */
export interface ScriptedScene {
  readonly network: NetworkName
  readonly chain: ScriptedChain
  readonly deployment: Deployment
  /** The URLs of all its nodes, comma-separated. */
  readonly rpcUrl: string
  readonly wsUrl: string
  head(): ScriptedBlock
  /** Mines blocks and announces them on the nodes' sockets. */
  mine(count: number): void
  reorg(depth: number, length: number): void
  /** Announces the head on the nodes' sockets again. */
  announce(): void
  /** Sets the fault of all nodes from now on, unless the scene has a `schedule`. */
  fault(fault: Fault | null): void
  index(databaseUrl: string, options?: Partial<RunOptions>): Promise<RunningIndexer>
  /** Returns a new database that was indexed up to the head. Its indexer has ended. */
  indexed(): Promise<string>
  cleanIndex(): Promise<Record<string, string[]>>
  verify(databaseUrl: string, request?: Partial<VerifyRequest>): Promise<Verified>
  writeConfig(path: string): void
}

export interface SceneOptions {
  seed?: number
  /** Seconds; 12 by default. */
  blockTimeS?: number
  /** 24 by default. */
  finalityDepth?: number
  /** Number of nodes; 1 by default. */
  endpoints?: number
  blooms?: Crowd
  /** What the nodes serve as proof of blocks; nothing by default. */
  proofs?: Proofs
  /** The first block with a header of Amsterdam; none by default. */
  amsterdamFrom?: number
  /** The chain that a node serves while it is on the wrong chain; by default, the chain itself. */
  wrongChain?: ScriptedChain
  schedule?: Parameters<typeof startHostileNode>[0]['schedule']
}

const START_TIME = 1_700_000_000

/** Makes a chain, the same one for the same options. */
export async function scriptedScene(
  network: NetworkName,
  blocks: number,
  options: SceneOptions = {},
): Promise<ScriptedScene> {
  let now: Fault | null = null
  const { seed = 1, blockTimeS = 12, finalityDepth = 24, endpoints = 1, blooms = 'usual', proofs = 'none' } = options
  const { amsterdamFrom = Number.POSITIVE_INFINITY, schedule = { at: () => now }, wrongChain } = options
  const market = scriptedMarket(network, finalityDepth)
  const { chainId } = NETWORKS[network]
  const chain = scriptedChain({ market, chainId, seed, startTime: START_TIME, blockTimeS, blooms, amsterdamFrom })
  chain.mine(blocks)
  const nodes: HostileNode[] = []
  for (let endpoint = 0; endpoint < endpoints; endpoint++) {
    const random = createRandom(seed + endpoint)
    const node = await startHostileNode({ chain, wrongChain, schedule, endpoint, random, proofs })
    closeAfter(() => node.stop())
    nodes.push(node)
  }
  const { deployment } = market
  const rpcUrl = nodes.map(({ url }) => url).join()
  const head = () => chain.blocks.at(-1) as ScriptedBlock
  const announce = () => {
    for (const node of nodes) node.announce()
  }
  const onChain = { network, rpcUrl, deployment }
  const indexed = () => indexedDatabase(onChain, head())
  return {
    network,
    chain,
    deployment,
    rpcUrl,
    wsUrl: nodes[0]?.wsUrl ?? '',
    head,
    announce,
    indexed,
    mine(count) {
      chain.mine(count)
      announce()
    },
    reorg(depth, length) {
      chain.reorg(depth, length)
      announce()
    },
    fault(fault) {
      now = fault
    },
    index: (databaseUrl, options = {}) => runIndexer({ databaseUrl, ...onChain, ...options }),
    cleanIndex: async () => dumpTables(await indexed()),
    verify: (databaseUrl, request = {}) => verify({ databaseUrl, ...onChain }, request),
    writeConfig: (path) => {
      const { network: _, ...entry } = deployment
      writeFileSync(path, JSON.stringify({ [network]: entry }))
    },
  }
}

/** Does what `npm run verify` does, in this process. */
export async function verify(
  { databaseUrl, network, rpcUrl, deployment }: RunOptions,
  request: Partial<VerifyRequest> = {},
): Promise<Verified> {
  const database = await openDatabase(databaseUrl, { applicationName: 'test-verify' })
  const store = openIndexerStore(database, network)
  const chain = openChain({ network, urls: [rpcUrl], topics: watchedTopics(deployment), pollMs: 20, log: quiet })
  const [lines, notes]: string[][] = [[], []]
  const streams = {
    out: { write: (text: string) => lines?.push(text) },
    err: { write: (text: string) => notes?.push(text) },
  }
  const display = verifyDisplay(network, streams)
  try {
    const wanted = { from: null, to: null, repair: false, statesAlone: false, ...request }
    const signal = new AbortController().signal
    const isRight = await verifyNetwork({ chain, store, deployment, log: quiet, report: display }, wanted, signal)
    display.end(isRight)
    return { isRight, lines: lines ?? [], notes: notes ?? [] }
  } finally {
    await chain.close()
    await database.close()
  }
}
