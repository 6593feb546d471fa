import { MINUTE, SECOND } from '@dexfeed/dex'
import type { StreamFilter } from './stream-filter.ts'

/** Maximum bytes that may wait for longer than PATIENCE_MS, and that may wait at all. */
const MAX_PENDING = 1_048_576
const MAX_EVER_PENDING = 16 * MAX_PENDING
/** How long more than MAX_PENDING bytes may wait, and how long any byte may wait. */
const PATIENCE_MS = 5 * SECOND
const STALL_MS = MINUTE

export type Framing = 'sse' | 'socket'

export interface Connection {
  framing: Framing
  readonly pending: number
  send(bytes: Buffer): void
  beat(): void
  end(reason: 'slow' | 'over', last?: Buffer): void
}

export class Listener {
  readonly filter: StreamFilter
  readonly connection: Connection
  #waitingSince: number | null = null

  constructor(filter: StreamFilter, connection: Connection) {
    this.filter = filter
    this.connection = connection
  }

  /** Returns whether the listener is too slow. Call it before each send, so that a batch of any size fits. */
  isSlow(now: number): boolean {
    const { pending } = this.connection
    if (pending === 0) {
      this.#waitingSince = null
      return false
    }
    this.#waitingSince ??= now
    const waitingMs = now - this.#waitingSince
    return pending > MAX_EVER_PENDING || waitingMs > STALL_MS || (pending > MAX_PENDING && waitingMs > PATIENCE_MS)
  }
}
