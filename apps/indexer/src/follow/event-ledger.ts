import type { Address, BlockRange, PoolEvent } from '@dexfeed/dex'
import type { BlockEvents } from '../blocks/process-blocks.ts'

/** Blocks that are remembered: more than any chain needs to become final, and the audit to follow. */
const MOST_BLOCKS = 20_000

/**
 * The liquidity events that the states of pools were moved by, block by block. Rows do not show them: one that a node
 * left out at the head would leave ticks wrong for good.
 */
export class EventLedger {
  /** A text of each pool's events, by block. */
  readonly #blocks = new Map<number, ReadonlyMap<Address, string>>()

  /**
   * Notes the events of committed blocks, in the place of those of a branch that was rolled back.
   *
   * @param events null: these blocks need no comparison, and nothing of them is remembered
   */
  note({ from, to }: BlockRange, events: readonly BlockEvents[] | null): void {
    const byBlock = new Map(events?.map((block) => [block.blockNumber, textsOf(block.events)]))
    for (let number = from; number <= to; number++) {
      this.#blocks.delete(number)
      if (events !== null) this.#blocks.set(number, byBlock.get(number) ?? new Map())
    }
    for (const number of this.#blocks.keys()) {
      if (this.#blocks.size <= MOST_BLOCKS) break
      this.#blocks.delete(number)
    }
  }

  /**
   * Compares final blocks, as they were read again, with what was noted, and forgets that. The ledger lives in memory:
   * blocks that it does not remember (those from before a restart) say nothing.
   *
   * @returns pools whose events differ
   */
  differing({ from, to }: BlockRange, events: readonly BlockEvents[]): Set<Address> {
    const byBlock = new Map(events.map((block) => [block.blockNumber, textsOf(block.events)]))
    const pools = new Set<Address>()
    for (let number = from; number <= to; number++) {
      const [noted, read] = [this.#blocks.get(number), byBlock.get(number)]
      if (noted === undefined) continue
      for (const [pool, text] of read ?? []) if (noted.get(pool) !== text) pools.add(pool)
      for (const pool of noted.keys()) if (read?.has(pool) !== true) pools.add(pool)
      this.#blocks.delete(number)
    }
    return pools
  }
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
