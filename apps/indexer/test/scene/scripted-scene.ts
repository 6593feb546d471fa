import { writeFileSync } from 'node:fs'
import { openChain } from '@dexfeed/chain'
import type { Deployment, NetworkName } from '@dexfeed/dex'
import type { Fault, ScriptedBlock, ScriptedChain } from '@dexfeed/lab'
import { openDatabase, openIndexerStore } from '@dexfeed/store'
import { watchedTopics } from '../../src/blocks/process-blocks.ts'
import { verifyDisplay } from '../../src/verify/verify-display.ts'
import { type VerifyRequest, verifyNetwork } from '../../src/verify/verify-network.ts'
import { indexedDatabase, plainTables } from './indexed-database.ts'
import { quiet } from './made-values.ts'
import { type RunningIndexer, type RunOptions, runIndexer } from './run-indexer.ts'
import { scriptedWorld } from './scripted-world.ts'

export interface Verified {
  isRight: boolean
  /** The lines of standard output. */
  lines: string[]
  notes: string[]
}

/** A chain in memory with one node, which ends with the test, and actions on both. */
export interface ScriptedScene {
  readonly chain: ScriptedChain
  readonly deployment: Deployment
  readonly rpcUrl: string
  head(): ScriptedBlock
  /** Sets the node's fault from now on. */
  fault(fault: Fault | null): void
  index(databaseUrl: string, options?: Partial<RunOptions>): Promise<RunningIndexer>
  /** Returns a new database that was indexed up to the head. Its indexer has ended. */
  indexed(): Promise<string>
  cleanIndex(): Promise<Record<string, string[]>>
  verify(databaseUrl: string, request?: Partial<VerifyRequest>): Promise<Verified>
  writeConfig(path: string): void
}

export async function scriptedScene(network: NetworkName, blocks: number, blockTimeS = 12): Promise<ScriptedScene> {
  let now: Fault | null = null
  const schedule = { at: () => now }
  const world = await scriptedWorld({ network, seed: 1, blocks, startTime: 1_700_000_000, blockTimeS, schedule })
  const { chain, rpcUrl, head } = world
  const { deployment } = chain.market
  const onChain = { network, rpcUrl, deployment }
  return {
    chain,
    deployment,
    rpcUrl,
    head,
    fault: (fault) => {
      now = fault
    },
    index: (databaseUrl, options = {}) => runIndexer({ databaseUrl, ...onChain, ...options }),
    indexed: () => indexedDatabase(onChain, head()),
    cleanIndex: () => plainTables(onChain, head()),
    verify: (databaseUrl, request = {}) => verify({ databaseUrl, ...onChain }, request),
    writeConfig: (path) => {
      const { wrappedNative, stablecoins, dexes, tokens, finalityDepth } = deployment
      writeFileSync(path, JSON.stringify({ [network]: { wrappedNative, stablecoins, dexes, tokens, finalityDepth } }))
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
