import { type BlockRange, countBlocks, finalBelow, sharedRanges } from '@dexfeed/dex'
import type { NetworkRow, WriterLease } from '@dexfeed/store'
import { AgreeingStretch } from './agreeing-stretch.ts'
import { cutChunks } from './cut-chunks.ts'
import { gonePools } from './gone-pools.ts'
import type { LeftBlock } from './left-branch.ts'
import type { RangeChecker } from './range-checker.ts'
import type { VerifyDependencies } from './verify-network.ts'

const CHUNK_BLOCKS = 500
/** A lease that is free is had at once. */
const LEASE_WAIT_MS = 3_000

export interface MendDependencies extends VerifyDependencies {
  checker: RangeChecker
  /** Compares the counters of the days of some ranges with their rows. */
  checkCounters(ranges: readonly BlockRange[]): Promise<boolean>
}

/**
 * Brings a network that is on a branch which the chain left, below a block taken as final, back to the chain:
 *
 * 1. as the network's only writer, so that no indexer follows it meanwhile;
 * 2. compares the rows of what is final on the chain now, newest first, back to the first stretch that agrees (see
 *    AgreeingStretch);
 * 3. mends what differs, oldest first: an interruption leaves the newest wrong, where the next walk begins;
 * 4. takes back what lies above, headers, pool states, head and the pools that are no more, in one transaction. Only now the network counts as
 *    well, and the next start of the indexer follows it from a final block of the chain.
 *
 * @returns whether it is mended
 */
export async function mendBranch(
  dependencies: MendDependencies,
  row: NetworkRow,
  { stored, hash }: LeftBlock,
  repair: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { chain, store, deployment, report, checker, checkCounters } = dependencies
  report.note(`the chain left the indexed branch: block ${stored.number} is ${stored.hash} here and ${hash} there`)
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
        report.mended(part.differences.length)
      }
    }
    const header = await chain.header(final)
    if (header === null) throw new Error(`block ${final} is not there, though later ones are`)
    await store.rollBackBelowFinal(lease.epoch, header, await gonePools(chain, store, deployment))
    report.note(`mended up to block ${final}: the indexer goes on from there when it is started again`)
    return true
  } finally {
    await lease?.release()
  }
}

/** The parts that differ, ascending. */
async function findDiffering(
  { report, checker }: MendDependencies,
  covered: readonly BlockRange[],
  signal: AbortSignal,
): Promise<BlockRange[]> {
  const differing: BlockRange[] = []
  const stretch = new AgreeingStretch()
  report.begin(countBlocks(covered))
  for (const chunk of cutChunks(covered, { size: CHUNK_BLOCKS, count: Number.POSITIVE_INFINITY })) {
    const seen = { blocks: chunk.to - chunk.from + 1, trades: 0, agrees: true }
    for await (const part of checker.check(chunk, false, signal)) {
      report.part(part)
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

async function takeLease({ store, deployment }: MendDependencies, signal: AbortSignal): Promise<WriterLease> {
  const wait = AbortSignal.timeout(LEASE_WAIT_MS)
  try {
    return await store.acquireWriter(AbortSignal.any([signal, wait]))
  } catch (error) {
    if (!wait.aborted) throw error
    throw new Error(`an indexer is the writer of ${deployment.network}: stop it first`, { cause: error })
  }
}
