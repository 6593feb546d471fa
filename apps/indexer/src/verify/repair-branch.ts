import {
  type BlockHeader,
  type BlockRange,
  countBlocks,
  type Deployment,
  finalBelow,
  type PoolAddress,
  present,
  protocolOf,
  SECOND,
  sharedRanges,
} from '@dexfeed/dex'
import type { IndexerStore, NetworkRow, WriterLease } from '@dexfeed/store'
import { cutRanges } from '../blocks/block-ranges.ts'
import { type HeaderSource, headerAt, type OrphanedBlock } from '../blocks/common-ancestor.ts'
import { loadKnown, type PoolStore } from '../blocks/network-context.ts'
import type { ContractCaller } from '../pools/contract-calls.ts'
import { EmitterVerifier } from '../pools/emitter-verifier.ts'
import type { PartChecker } from './range-checker.ts'
import type { VerifyReport } from './verify-display.ts'

const CHUNK_BLOCKS = 500
/** A free lease is acquired immediately; a longer wait means another writer. */
const LEASE_WAIT_MS = 3 * SECOND

interface RepairChain extends ContractCaller, HeaderSource {
  head(): Promise<BlockHeader>
  finalized(): Promise<number | null>
}

export interface RepairDependencies {
  chain: RepairChain
  store: IndexerStore
  deployment: Deployment
  row: NetworkRow
  checker: PartChecker
  report: VerifyReport
  checkCounters(ranges: readonly BlockRange[]): Promise<boolean>
}

/**
 * Repairs the rows of an orphaned branch that begins below a block indexed as final.
 *
 * 1. Becomes the only writer.
 * 2. Compares rows with the chain, newest first, back to the first stretch that agrees.
 * 3. Repairs the differences, oldest first. After an interruption, the newest rows are still wrong, and the next run
 * compares those first.
 * 4. Rolls back the rows above in one transaction. The indexer then continues from a final block.
 *
 * @returns whether the rows were repaired
 */
export async function repairBranch(
  dependencies: RepairDependencies,
  { stored, hash }: OrphanedBlock,
  repair: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { chain, store, deployment, row, report, checker, checkCounters } = dependencies
  report.note(`the indexed branch is orphaned: block ${stored.number} is ${stored.hash} here and ${hash} on the chain`)
  const lease = repair ? await takeLease(dependencies, signal) : null
  try {
    const final = Math.min(
      present(row.finalNumber),
      finalBelow((await chain.head()).number, await chain.finalized(), deployment.finalityDepth),
    )
    const covered = sharedRanges(await store.coveredRanges(), { from: 0, to: final })
    await checkCounters(covered)
    const differing = await findDiffering(dependencies, covered, signal)
    if (lease === null) return false
    for (const range of differing) {
      for await (const part of checker.check(range, true, signal)) {
        if (part.outcome === 'unsettled') throw new Error(`the nodes contradict each other about block ${part.from} on`)
        report.onRepaired(part.differences.length)
      }
    }
    await store.rollBackBelowFinal(
      lease.epoch,
      await headerAt(chain, final),
      await vanishedPools(chain, store, deployment),
    )
    report.note(`repaired up to block ${final}: the indexer goes on from there when it is started again`)
    return true
  } finally {
    await lease?.release()
  }
}

async function findDiffering(
  { report, checker }: RepairDependencies,
  covered: readonly BlockRange[],
  signal: AbortSignal,
): Promise<BlockRange[]> {
  const differing: BlockRange[] = []
  const stretch = new AgreeingStretch()
  report.onBegin(countBlocks(covered))
  for (const chunk of cutRanges(covered, { size: CHUNK_BLOCKS })) {
    const seen = { blocks: countBlocks([chunk]), trades: 0, agrees: true }
    for await (const part of checker.check(chunk, false, signal)) {
      report.onPart(part)
      seen.trades += part.trades
      if (part.outcome === 'equal') continue
      seen.agrees = false
      differing.push({ from: part.from, to: part.to })
    }
    if (stretch.add(seen)) {
      report.note(`the rows up to block ${chunk.to} are of the chain's branch`)
      break
    }
  }
  return differing.sort((a, b) => a.from - b.from)
}

async function takeLease({ store, deployment }: RepairDependencies, signal: AbortSignal): Promise<WriterLease> {
  const wait = AbortSignal.timeout(LEASE_WAIT_MS)
  try {
    return await store.acquireWriter(AbortSignal.any([signal, wait]))
  } catch (error) {
    if (!wait.aborted) throw error
    throw new Error(`an indexer is the writer of ${deployment.network}: stop it first`, { cause: error })
  }
}

/** A matching stretch of this many blocks and trades lies below any fork. */
const MIN_BLOCKS = 1_000
const MIN_TRADES = 100

/**
 * Finds a stretch that matches the chain, walking backwards. Trades count, too, because blocks without trades match any
 * chain.
 */
export class AgreeingStretch {
  #blocks = 0
  #trades = 0

  add({ blocks, trades, agrees }: { blocks: number; trades: number; agrees: boolean }): boolean {
    this.#blocks = agrees ? this.#blocks + blocks : 0
    this.#trades = agrees ? this.#trades + trades : 0
    return this.#blocks >= MIN_BLOCKS && this.#trades >= MIN_TRADES
  }
}

const BATCH = 500

async function vanishedPools(chain: ContractCaller, store: PoolStore, deployment: Deployment): Promise<PoolAddress[]> {
  const candidates = (await loadKnown(store, deployment)).pools.flatMap(({ address, dex }) => {
    const protocol = protocolOf(dex.kind)
    return protocol.identity.by === 'factory' ? [{ pool: address, family: protocol.family, events: [] }] : []
  })
  const verifier = new EmitterVerifier(chain, deployment.dexes)
  const gone: PoolAddress[] = []
  for (let start = 0; start < candidates.length; start += BATCH) {
    gone.push(...(await verifier.verify(candidates.slice(start, start + BATCH), 'latest')).denied)
  }
  return gone
}
