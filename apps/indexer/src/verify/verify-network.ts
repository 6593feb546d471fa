import type { Chain } from '@dexfeed/chain'
import {
  type BlockRange,
  countBlocks,
  type Deployment,
  dayOf,
  missingRanges,
  sharedRanges,
  startOfDay,
} from '@dexfeed/dex'
import { checkGenesis, type IndexerStore, type NetworkRow } from '@dexfeed/store'
import { cutRanges } from '../blocks/block-ranges.ts'
import { headerAt, orphanedBlock } from '../blocks/common-ancestor.ts'
import { openNetworkContext } from '../blocks/network-context.ts'
import type { IndexerLog } from '../loops/loop.ts'
import { StateChecker } from './pool-states/state-checker.ts'
import { verifyStates } from './pool-states/verify-states.ts'
import { RangeChecker } from './range-checker.ts'
import { repairBranch } from './repair-branch.ts'
import type { VerifyReport } from './verify-display.ts'

const CHUNK_BLOCKS = 2_000

export interface VerifyDependencies {
  chain: Chain
  store: IndexerStore
  deployment: Deployment
  log: IndexerLog
  report: VerifyReport
}

export interface VerifyRequest {
  /** Null starts at the first covered block. */
  from: number | null
  /** Null ends at the last final block. */
  to: number | null
  repair: boolean
  /** Whether to compare pool states only. Otherwise they are compared if no blocks are named. */
  statesAlone: boolean
}

/**
 * Compares covered final blocks, newest first, and the pool states at the head, as far as the request asks for them. If
 * `repair` is set, repairs each part in its own transaction, so an indexer may keep running. Leaves an orphaned final
 * block to `repairBranch`. Returns whether everything that was compared is now right.
 */
export async function verifyNetwork(
  dependencies: VerifyDependencies,
  request: VerifyRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const { chain, store, deployment, log, report } = dependencies
  await chain.verifyChainId()
  const row = await networkRow(dependencies)
  const orphaned = await orphanedBlock(chain, store, signal)
  const context = await openNetworkContext(chain, store, deployment, { keyStore: store })
  const checker = new RangeChecker({ ...context, chain, store, log })
  if (orphaned !== null) {
    if (request.from !== null || request.to !== null) {
      throw new Error(`the indexed branch of ${row.network} is orphaned: verify it without --from and --to`)
    }
    const checkCounters = (ranges: readonly BlockRange[]) => checkDays(dependencies, ranges, request.repair, signal)
    return repairBranch({ ...dependencies, row, checker, checkCounters }, orphaned, request.repair, signal)
  }
  const stateChecker = new StateChecker({ chain, store, known: context.known, log })
  const states = () => verifyStates({ chain, store, checker: stateChecker, report }, request.repair, signal)
  if (request.statesAlone) return (await states()) ?? false
  const isNamed = request.from !== null || request.to !== null
  const areRight = isNamed ? true : ((await states()) ?? true)
  return (await verifyRows({ ...dependencies, row, checker }, request, signal)) && areRight
}

async function verifyRows(
  dependencies: VerifyDependencies & { row: NetworkRow; checker: RangeChecker },
  request: VerifyRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const { report, checker, row } = dependencies
  const ranges = await rangesOf(dependencies, row, request)
  for (const { isCovered, ...range } of ranges) if (!isCovered) report.onUncovered(range)
  const covered = ranges.filter(({ isCovered }) => isCovered)
  let isRight = covered.length > 0 && covered.length === ranges.length
  if (covered.length === 0) report.note('nothing of that is covered: there is nothing to compare')
  isRight = (await checkDays(dependencies, covered, request.repair, signal)) && isRight
  const oldRanges = await dependencies.store.oldRanges()
  const old = countBlocks(covered.flatMap((range) => sharedRanges(oldRanges, range)))
  if (old > 0)
    report.note(`older rules made the rows of ${old} blocks: they may differ, and the indexer derives them again`)
  report.onBegin(countBlocks(covered))
  for (const chunk of cutRanges(covered, { size: CHUNK_BLOCKS })) {
    for await (const part of checker.check(chunk, request.repair, signal)) {
      report.onPart(part)
      isRight &&= part.outcome === 'equal' || part.outcome === 'repaired'
    }
  }
  return isRight
}

/**
 * Compares each day's counters with the stored rows, and recounts them if `repair` is set. Must run before the rows are
 * compared, because repairing rows changes the counters.
 */
async function checkDays(
  dependencies: VerifyDependencies,
  ranges: readonly BlockRange[],
  repair: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, report } = dependencies
  let areRight = true
  for (const day of await daysOf(dependencies, ranges)) {
    signal.throwIfAborted()
    const differences = await store.compareDay(day)
    if (differences.length === 0) continue
    if (repair) await store.recountDay(day)
    else areRight = false
    for (const difference of differences) report.onDay(difference, repair)
  }
  return areRight
}

async function networkRow({ chain, store, deployment }: VerifyDependencies): Promise<NetworkRow> {
  const row = await store.networkRow()
  if (row?.finalNumber == null) {
    throw new Error(`no indexer has followed ${deployment.network} on this database yet: start one first`)
  }
  checkGenesis(row.network, row.genesisHash, (await chain.header(0))?.hash ?? null)
  return row
}

async function rangesOf(
  { store }: VerifyDependencies,
  { network, finalNumber, start }: NetworkRow,
  { from, to }: VerifyRequest,
): Promise<(BlockRange & { isCovered: boolean })[]> {
  const final = finalNumber ?? -1
  if (to !== null && to > final) {
    throw new Error(`--to ${to} is above block ${final} of ${network}, the last that is final`)
  }
  const ranges = await store.coveredRanges()
  const isCut = start !== null && (await store.keptSince()) !== null
  const oldest = ranges[0]?.from ?? 0
  const requested = { from: from ?? (isCut ? Math.max(start.number, oldest) : oldest), to: to ?? final }
  const covered = sharedRanges(ranges, requested)
  // Unless blocks are named, missing blocks are left to the indexer.
  const isNamed = from !== null || to !== null
  return [
    ...covered.map((range) => ({ ...range, isCovered: true })),
    ...(isNamed ? missingRanges(requested, covered).map((range) => ({ ...range, isCovered: false })) : []),
  ].sort((a, b) => a.from - b.from)
}

async function daysOf({ chain, store }: VerifyDependencies, ranges: readonly BlockRange[]): Promise<number[]> {
  const days = new Set<number>()
  for (const range of ranges) {
    for (const day of await store.daysOf(range)) days.add(day)
    const [first, last] = await Promise.all([headerAt(chain, range.from), headerAt(chain, range.to)])
    for (let day = dayOf(first.timestamp); day <= dayOf(last.timestamp); day++) days.add(day)
  }
  const since = await store.keptSince()
  return [...days].filter((day) => since === null || startOfDay(day) >= since).sort((a, b) => a - b)
}
