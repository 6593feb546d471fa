import type { Address, BlockRange, PoolEvent } from '@dexfeed/dex'
import type { RangeCommit } from '@dexfeed/store'
import type { BlockEvents } from '../blocks/process-blocks.ts'

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
