import { topicOf } from '../../abi/fragment.ts'
import type { Log } from '../../chain/block.ts'
import type { Address } from '../../chain/hex.ts'
import { emitterOf } from '../../protocols/managed-pool.ts'
import { firstWhere } from '../sorted.ts'
import type { Hop } from '../trade.ts'

/** What pools emit as tokens of their shares. */
const TOKEN_TOPICS: ReadonlySet<string> = new Set([
  topicOf('event Transfer(address indexed from, address indexed to, uint256 value)'),
  topicOf('event Approval(address indexed owner, address indexed spender, uint256 value)'),
])

/** Where the contracts that emit hops have emitted anything but transfers of their shares. */
export class EmitterMarks {
  /** Ascending, as are the others. */
  readonly #marks = new Map<Address, number[]>()
  /** Those that are not hops between two coins that their pool keeps itself. */
  readonly #others = new Map<Address, number[]>()

  /** @param logs of one transaction, in their order */
  constructor(hops: readonly Hop[], logs: readonly Log[]) {
    const plain = new Set<number>()
    for (const { pool, tokenIn, tokenOut, logIndex } of hops) {
      this.#marks.set(emitterOf(pool.address), [])
      this.#others.set(emitterOf(pool.address), [])
      const through = [tokenIn, tokenOut].some(
        (token) => pool.underlying?.includes(token) && !pool.coins?.includes(token),
      )
      if (!through) plain.add(logIndex)
    }
    for (const { address, topics, logIndex } of logs) {
      if (TOKEN_TOPICS.has(topics[0] ?? '')) continue
      this.#marks.get(address)?.push(logIndex)
      if (!plain.has(logIndex)) this.#others.get(address)?.push(logIndex)
    }
  }

  /** The place of a contract's last event before a log; -1 where it had none. */
  before(emitter: Address, logIndex: number): number {
    return lastBefore(this.#marks.get(emitter) ?? [], logIndex)
  }

  /** Whether a contract told of anything but plain hops after one log and before another. */
  hasOthers(emitter: Address, after: number, before: number): boolean {
    return lastBefore(this.#others.get(emitter) ?? [], before) > after
  }
}

function lastBefore(places: readonly number[], logIndex: number): number {
  return places[firstWhere(places.length, (at) => (places[at] ?? 0) >= logIndex) - 1] ?? -1
}
