import {
  type Address,
  type BlockRange,
  MINUTE,
  type PoolEvent,
  SECOND,
  sharedRanges,
  withoutRanges,
} from '@dexfeed/dex'
import type { InvalidatedPool, RangeCommit } from '@dexfeed/store'
import type { BlockEvents } from '../blocks/process-blocks.ts'
import { type LoopContext, repeatLogged } from '../loops/loop.ts'
import type { CheckedPart, PartChecker } from './range-checker.ts'

/** More blocks than any chain needs until a block is final and audited. */
const MAX_BLOCKS = 20_000

/**
 * Keeps what the audit needs from commits: which blocks were read with proof, and the liquidity events of the others.
 * Rows lack these events, and a missing one makes ticks permanently wrong.
 */
export class AuditNotes {
  readonly #proven = new Set<number>()
  /** Blocks up to this one do not count as proven. */
  #disproved = -1
  readonly #events = new Map<number, ReadonlyMap<Address, string>>()

  /** Notes a commit. Events of blocks that it rolled back are replaced when the new blocks come. */
  note(commit: RangeCommit, events: readonly BlockEvents[]): void {
    const { from, to } = commit
    if ('skipped' in commit && !commit.skipped.isProven) this.#proven.delete(from)
    if (!('live' in commit)) return
    const { rollbackTo, isProven } = commit.live
    if (rollbackTo !== null) for (const number of this.#proven) if (number > rollbackTo) this.#proven.delete(number)
    const byBlock = isProven ? null : textsByBlock(events)
    for (let number = from; number <= to; number++) {
      if (isProven && number > this.#disproved) this.#proven.add(number)
      else this.#proven.delete(number)
      this.#events.delete(number)
      if (byBlock !== null) this.#events.set(number, byBlock.get(number) ?? new Map())
    }
    for (const number of this.#events.keys()) {
      if (this.#events.size <= MAX_BLOCKS) break
      this.#events.delete(number)
    }
  }

  /** Forgets all proofs, because if one is false, others may be false as well. */
  disprove(number: number): void {
    this.#disproved = Math.max(this.#disproved, number)
    this.#proven.clear()
  }

  isProven(number: number): boolean {
    return this.#proven.has(number)
  }

  /** Returns the pools whose events differ, and forgets these blocks. Blocks from before a restart are not compared. */
  differing({ from, to }: BlockRange, events: readonly BlockEvents[]): Set<Address> {
    const byBlock = textsByBlock(events)
    const pools = new Set<Address>()
    for (let number = from; number <= to; number++) {
      const noted = this.#events.get(number)
      const read = byBlock.get(number)
      if (noted === undefined) continue
      for (const [pool, text] of read ?? []) if (noted.get(pool) !== text) pools.add(pool)
      for (const pool of noted.keys()) if (read?.has(pool) !== true) pools.add(pool)
      this.#events.delete(number)
    }
    return pools
  }

  forgetProvenUpTo(number: number): void {
    for (const proven of this.#proven) if (proven <= number) this.#proven.delete(proven)
  }
}

function textsByBlock(blocks: readonly BlockEvents[]): Map<number, Map<Address, string>> {
  return new Map(blocks.map(({ blockNumber, events }) => [blockNumber, textsOf(events)]))
}

function textsOf(events: readonly PoolEvent[]): Map<Address, string> {
  const texts = new Map<Address, string>()
  for (const event of events) {
    if (event.type !== 'liquidity') continue
    const { pool, tickLower, tickUpper, delta, transactionIndex, logIndex } = event
    const text = [transactionIndex, logIndex, tickLower, tickUpper, delta].join()
    texts.set(pool, `${texts.get(pool) ?? ''} ${text}`)
  }
  return texts
}

const STEP_BLOCKS = 16
/** Pause after a step, as a multiple of the step's duration. */
const REST_FACTOR = 4
const MIN_REST_MS = SECOND
const IDLE_MS = 10 * SECOND
const MAX_PAUSE_MS = 5 * MINUTE
const TRIES = 5

interface AuditDependencies extends LoopContext {
  store: {
    networkRow(): Promise<{ finalNumber: number | null } | null>
    coveredRanges(): Promise<BlockRange[]>
    oldRanges(): Promise<BlockRange[]>
    audited(): Promise<number | null>
    setAudited(number: number): Promise<void>
  }
  checker: PartChecker
  notes: AuditNotes
  follower: { invalidate(pools: readonly InvalidatedPool[]): Promise<void> }
  onAudit(part: CheckedPart): void
}

/**
 * Audits blocks that were read at the head without proof: once they are final, compares them with the chain and repairs
 * them, because a node may have left out logs. Continues where it stopped.
 */
export async function auditFinal(dependencies: AuditDependencies, ended: AbortSignal): Promise<void> {
  const { log, clock } = dependencies
  const auditor = new Auditor(dependencies)
  const step = async () => {
    const started = performance.now()
    const isBusy = await auditor.step(ended)
    const rest = Math.max(MIN_REST_MS, REST_FACTOR * (performance.now() - started))
    return isBusy ? rest : IDLE_MS
  }
  await repeatLogged(
    { ended, maxPauseMs: MAX_PAUSE_MS, log, clock },
    'the audit of final blocks failed, trying again',
    step,
  )
}

export class Auditor {
  readonly #deps: AuditDependencies
  #tries = 0
  /** Blocks up to this one are not compared again. */
  #rechecked = -1

  constructor(dependencies: AuditDependencies) {
    this.#deps = dependencies
  }

  /** Returns whether a whole step is left. */
  async step(signal: AbortSignal): Promise<boolean> {
    const { store, checker, notes } = this.#deps
    const final = (await store.networkRow())?.finalNumber ?? null
    if (final === null) return false
    const done = await store.audited()
    if (done === null) {
      await store.setAudited(final)
      return false
    }
    // All other blocks are derived later, from final blocks.
    const current = withoutRanges(await store.coveredRanges(), await store.oldRanges())
    const next = sharedRanges(current, { from: done + 1, to: final })[0]
    if (next === undefined) return false
    const isProven = notes.isProven(next.from)
    const last = isProven ? next.to : Math.min(next.to, next.from + STEP_BLOCKS - 1)
    const range = { from: next.from, to: next.from }
    while (range.to < last && notes.isProven(range.to + 1) === isProven) range.to++
    if (isProven) return this.#done(range.to, final)
    for await (const part of checker.check(range, true, signal)) {
      if (part.outcome === 'unsettled') this.#onUnsettled(part)
      else if (part.outcome === 'repaired') await this.#onRepaired(part)
      if (part.outcome !== 'unsettled') await this.#compareStates(part)
      this.#deps.onAudit(part)
      if (this.#mustRecheck(part)) return this.#returnTo(part)
    }
    return this.#done(range.to, final)
  }

  async #done(number: number, final: number): Promise<boolean> {
    this.#tries = 0
    await this.#deps.store.setAudited(number)
    this.#deps.notes.forgetProvenUpTo(number)
    return final - number >= STEP_BLOCKS
  }

  async #compareStates(part: CheckedPart): Promise<void> {
    const { log, notes } = this.#deps
    const pools = [...notes.differing(part, part.events)]
    if (pools.length === 0) return
    log.warn({ from: part.from, to: part.to, pools }, 'liquidity events of final blocks differed from the indexed ones')
    await this.#invalidate(pools, part.to)
  }

  async #onRepaired({ from, to, differences, pools }: CheckedPart): Promise<void> {
    const { log } = this.#deps
    const blocks = [...new Set(differences.map(({ blockNumber }) => blockNumber))]
    log.warn({ from, to, differences: differences.length, blocks }, 'rows of final blocks were wrong: repaired')
    await this.#invalidate(pools, to)
  }

  async #invalidate(pools: readonly Address[], blockNumber: number): Promise<void> {
    await this.#deps.follower.invalidate(pools.map((pool) => ({ pool, blockNumber })))
  }

  /**
   * Returns whether to compare again, because reference prices proved wrong. Each block is compared again only once.
   */
  #mustRecheck({ to, recheckFrom }: CheckedPart): boolean {
    return recheckFrom !== undefined && to > this.#rechecked
  }

  async #returnTo({ to, recheckFrom = to }: CheckedPart): Promise<boolean> {
    this.#deps.log.warn({ from: recheckFrom, to }, 'reference prices of the audit were wrong: comparing again')
    this.#rechecked = to
    await this.#deps.store.setAudited(recheckFrom - 1)
    return true
  }

  /** Throws to try again. After several tries, leaves the blocks to `npm run verify`. */
  #onUnsettled({ from, to }: BlockRange): void {
    if (++this.#tries < TRIES) throw new Error(`the nodes contradict each other about blocks ${from} to ${to}`)
    this.#deps.log.error({ from, to }, 'blocks were not audited, because the nodes contradict each other')
  }
}
