import type { Address, BlockRange, PoolEvent } from '@dexfeed/dex'
import type { BlockEvents } from '../blocks/process-blocks.ts'

/** Blocks to remember. More than any chain needs for a block to become final and then be audited. */
const MOST_BLOCKS = 20_000

/** Remembers the liquidity events of blocks, which rows do not show: one left out makes ticks permanently wrong. */
export class EventLedger {
  /** Per block: each pool's events as one text. */
  readonly #blocks = new Map<number, ReadonlyMap<Address, string>>()

  /**
   * Notes the events of committed blocks, in place of those of a branch that was rolled back. Null: these blocks need
   * no comparison, so nothing is remembered.
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
   * Returns the pools whose noted events in final blocks differ from the events read again, and forgets these blocks.
   * The ledger lives in memory, so blocks from before a restart are not compared.
   */
  differing({ from, to }: BlockRange, events: readonly BlockEvents[]): Set<Address> {
    const byBlock = new Map(events.map((block) => [block.blockNumber, textsOf(block.events)]))
    const pools = new Set<Address>()
    for (let number = from; number <= to; number++) {
      const noted = this.#blocks.get(number)
      const read = byBlock.get(number)
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
