import { MINUTE, SECOND } from '@dexfeed/dex'
import type { StreamFilter } from './stream-filter.ts'

/** Bytes that may wait for a listener that takes them slowly, and for one that takes them at all. */
const MAX_PENDING = 1_048_576
const MAX_EVER_PENDING = 16 * MAX_PENDING
/** So long a listener may be behind by more than a little; and so long with anything. */
const PATIENCE_MS = 5 * SECOND
const STALL_MS = MINUTE

/** One form of the events. */
export type Framing = 'sse' | 'socket'

/** A connection to one listener. */
export interface Connection {
  framing: Framing
  /** Bytes that were given and not taken yet. */
  readonly pending: number
  send(bytes: Buffer): void
  /** Shows that we are there; and finds out whether the other side is. */
  beat(): void
  /** Ends it after `last`, or cuts it soon. */
  end(reason: 'slow' | 'over', last?: Buffer): void
}

/** Who listens, and how well. */
export class Listener {
  readonly filter: StreamFilter
  readonly connection: Connection
  /** Since when something has been waiting. */
  #behindSince: number | null = null

  constructor(filter: StreamFilter, connection: Connection) {
    this.filter = filter
    this.connection = connection
  }

  /** Whether it takes what it is given. To be asked before more is given: a batch, of whatever size, always fits. */
  isSlow(now: number): boolean {
    const { pending } = this.connection
    if (pending === 0) {
      this.#behindSince = null
      return false
    }
    this.#behindSince ??= now
    const behindMs = now - this.#behindSince
    return pending > MAX_EVER_PENDING || behindMs > STALL_MS || (pending > MAX_PENDING && behindMs > PATIENCE_MS)
  }
}
