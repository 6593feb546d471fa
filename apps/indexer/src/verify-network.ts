import type { Chain } from '@dexfeed/chain'
import { type BlockRange, countBlocks, type Deployment, missingRanges, sharedRanges } from '@dexfeed/dex'
import { type DayDifference, GenesisMismatch, type IndexerStore, type NetworkRow } from '@dexfeed/store'
import { cutChunks } from './cut-chunks.ts'
import type { IndexerLog } from './indexer-log.ts'
import { leftBranch } from './left-branch.ts'
import { mendBranch } from './mend-branch.ts'
import { openNetworkContext } from './network-context.ts'
import { type CheckedPart, RangeChecker } from './range-checker.ts'

/** Blocks of one walk forward; the walks go back from the newest. */
const CHUNK_BLOCKS = 2_000
const DAY_S = 86_400

export interface VerifyDependencies {
  chain: Chain
  store: IndexerStore
  deployment: Deployment
  log: IndexerLog
  report: VerifyReport
}

/** Hears what is found. */
export interface VerifyReport {
  /** So many blocks are to be compared. */
  begin(blocks: number): void
  part(part: CheckedPart): void
  /** So many differences of parts that were told before are mended now. */
  mended(differences: number): void
  day(difference: DayDifference, isMended: boolean): void
  uncovered(range: BlockRange): void
  /** A sentence for people. */
  note(text: string): void
}

export interface VerifyRequest {
  /** Null: from the first covered block. */
  from: number | null
  /** Null: up to the last final block. */
  to: number | null
  repair: boolean
}

/**
 * Compares the rows of a network with its chain: by default all covered ranges of final blocks, newest first. With
 * `repair` it mends what differs, each part in one transaction, beside a running indexer. A network that stopped because
 * the chain went back below a final block is mended as `mendBranch` says.
 *
 * @returns whether the database is right now
 */
export async function verifyNetwork(
  dependencies: VerifyDependencies,
  request: VerifyRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const { chain, store, deployment, log, report } = dependencies
  await chain.verifyChainId()
  const row = await networkRow(dependencies)
  const left = await leftBranch(chain, store, signal)
  const context = await openNetworkContext(chain, store, deployment)
  const checker = new RangeChecker({ ...context, chain, store, log })
  if (left !== null) {
    if (request.from !== null || request.to !== null) {
      throw new Error(`${row.network} is on a branch that the chain left: verify it without --from and --to`)
    }
    const checkCounters = (ranges: readonly BlockRange[]) => checkDays(dependencies, ranges, request.repair, signal)
    return mendBranch({ ...dependencies, checker, checkCounters }, row, left, request.repair, signal)
  }
  const ranges = await rangesOf(dependencies, row, request)
  for (const { isCovered, ...range } of ranges) if (!isCovered) report.uncovered(range)
  const covered = ranges.filter(({ isCovered }) => isCovered)
  let isRight = covered.length > 0 && covered.length === ranges.length
  if (covered.length === 0) report.note('nothing of that is covered: there is nothing to compare')
  isRight = (await checkDays(dependencies, covered, request.repair, signal)) && isRight
  report.begin(countBlocks(covered))
  for (const chunk of cutChunks(covered, { size: CHUNK_BLOCKS, count: Number.POSITIVE_INFINITY })) {
    for await (const part of checker.check(chunk, request.repair, signal)) {
      report.part(part)
      isRight &&= part.outcome === 'equal' || part.outcome === 'repaired'
    }
  }
  return isRight
}

/**
 * Compares the counters of the days of some ranges with the days' rows. Before the rows: those that are replaced move
 * the counters by what they say.
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
    for (const difference of differences) report.day(difference, repair)
  }
  return areRight
}

async function networkRow({ chain, store, deployment }: VerifyDependencies): Promise<NetworkRow> {
  const row = await store.networkRow()
  if (row?.finalNumber == null) {
    throw new Error(`no indexer has followed ${deployment.network} on this database yet: start one first`)
  }
  const genesis = await chain.genesisHash()
  if (row.genesisHash !== genesis) throw new GenesisMismatch(row.network, row.genesisHash, genesis)
  return row
}

/** What of the asked blocks is covered and what is not, ascending. Rows that are no longer kept are not asked for. */
async function rangesOf(
  { store }: VerifyDependencies,
  { network, finalNumber, start }: NetworkRow,
  { from, to }: VerifyRequest,
): Promise<(BlockRange & { isCovered: boolean })[]> {
  const final = finalNumber ?? -1
  if (to !== null && to > final)
    throw new Error(`--to ${to} is above block ${final} of ${network}, the last that is final`)
  const ranges = await store.coveredRanges()
  const lowest = (await store.keptSince()) === null ? 0 : start.number
  const asked = { from: from ?? Math.max(lowest, ranges[0]?.from ?? 0), to: to ?? final }
  const covered = sharedRanges(ranges, asked)
  // Where no blocks are named, what is not covered is the indexer's to fill in.
  const isNamed = from !== null || to !== null
  return [
    ...covered.map((range) => ({ ...range, isCovered: true })),
    ...(isNamed ? missingRanges(asked, covered).map((range) => ({ ...range, isCovered: false })) : []),
  ].sort((a, b) => a.from - b.from)
}

/** The days (since 1970) that the blocks of some ranges lie in, by the chain and by the rows, as far as they are kept. */
async function daysOf({ chain, store }: VerifyDependencies, ranges: readonly BlockRange[]): Promise<number[]> {
  const days = new Set<number>()
  for (const range of ranges) {
    for (const day of await store.daysOf(range)) days.add(day)
    const [first, last] = await Promise.all([chain.header(range.from), chain.header(range.to)])
    if (first === null || last === null) throw new Error(`blocks ${range.from} to ${range.to} are not there`)
    const end = Math.floor(last.timestamp / DAY_S)
    for (let day = Math.floor(first.timestamp / DAY_S); day <= end; day++) days.add(day)
  }
  const since = await store.keptSince()
  return [...days].filter((day) => since === null || day * DAY_S >= since).sort((a, b) => a - b)
}
