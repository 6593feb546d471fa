import { MINUTE, SECOND } from '@dexfeed/dex'
import type { Clock } from '../../clock.ts'

/** A free Portal allows 20 requests in 10 seconds, for all data sets together. */
const LEAST_PAUSE_MS = SECOND / 2
const LONGEST_PAUSE_MS = MINUTE

/** Spaces the requests to one host, over all callers. */
export class RequestPace {
  static readonly #hosts = new Map<string, RequestPace>()
  readonly #clock: Clock
  #next = Number.NEGATIVE_INFINITY
  #pauseMs = LEAST_PAUSE_MS

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the pace of a host, which all networks share. */
  static of(origin: string, clock: Clock): RequestPace {
    const known = RequestPace.#hosts.get(origin) ?? new RequestPace(clock)
    RequestPace.#hosts.set(origin, known)
    return known
  }

  /** Resolves at this request's turn, or when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now()
    const turn = Math.max(now, this.#next)
    this.#next = turn + this.#pauseMs
    // After a refusal, the pause shrinks again slowly.
    this.#pauseMs = Math.max(LEAST_PAUSE_MS, this.#pauseMs * 0.95)
    if (turn > now) await this.#clock.sleep(turn - now, signal)
  }

  /** After a refusal, pauses longer and sends no request before the archive allows it. */
  slowDown(retryAfterMs: number | null): void {
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2)
    const pause = Math.min(LONGEST_PAUSE_MS, retryAfterMs ?? this.#pauseMs)
    this.#next = Math.max(this.#next, this.#clock.now() + pause)
  }
}
