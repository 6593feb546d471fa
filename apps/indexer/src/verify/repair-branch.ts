import type { Chain } from '@dexfeed/chain'
import { type BlockRange, countBlocks, type Deployment, finalBelow, SECOND, sharedRanges } from '@dexfeed/dex'
import type { IndexerStore, NetworkRow, WriterLease } from '@dexfeed/store'
import type { OrphanedBlock } from '../blocks/common-ancestor.ts'
import { cutRanges } from '../blocks/cut-ranges.ts'
import { headerAt } from '../blocks/header-at.ts'
import { AgreeingStretch } from './agreeing-stretch.ts'
import { gonePools } from './gone-pools.ts'
import type { RangeChecker } from './range-checker.ts'
import type { VerifyReport } from './verify-report.ts'

const CHUNK_BLOCKS = 500
/** A lease that is free is had at once. */
const LEASE_WAIT_MS = 3 * SECOND

export interface RepairDependencies {
  chain: Chain
  store: IndexerStore
  deployment: Deployment
  checker: RangeChecker
  report: VerifyReport
  /** Compares the counters of the days of some ranges with their rows. */
  checkCounters(ranges: readonly BlockRange[]): Promise<boolean>
}

/**
 * Brings a network whose rows are of an orphaned branch, from below a block that was taken as final, back to the chain:
 *
 * 1. as the network's only writer, so that no indexer follows it meanwhile;
 * 2. compares the rows of what is final on the chain now, newest first, back to the first stretch that agrees (see
 *    AgreeingStretch);
 * 3. repairs what differs, oldest first: an interruption leaves the newest wrong, where the next walk begins;
 * 4. rolls back what lies above, headers, pool states, head and the pools that are no more, in one transaction. Only
 *    now the network counts as well, and the next start of the indexer follows it from a final block of the chain.
 *
 * @returns whether it is repaired
 */
export async function repairBranch(
  dependencies: RepairDependencies,
  row: NetworkRow,
  { stored, hash }: OrphanedBlock,
  repair: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { chain, store, deployment, report, checker, checkCounters } = dependencies
  report.note(`the indexed branch is orphaned: block ${stored.number} is ${stored.hash} here and ${hash} on the chain`)
  const lease = repair ? await takeLease(dependencies, signal) : null
  try {
    const final = Math.min(
      row.finalNumber ?? 0,
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
    await store.rollBackBelowFinal(lease.epoch, await headerAt(chain, final), await gonePools(chain, store, deployment))
    report.note(`repaired up to block ${final}: the indexer goes on from there when it is started again`)
    return true
  } finally {
    await lease?.release()
  }
}

/** The parts that differ, ascending. */
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
