import { SECOND } from '@dexfeed/dex'

/** Older samples do not count. */
const WINDOW_MS = 30 * SECOND

/** Measures how fast a number of missing blocks falls. */
export class RateMeter {
  #samples: { at: number; missing: number }[] = []

  /** Returns blocks per second of the last half minute, else null. A jump of `at` (ms) drops the earlier samples. */
  measure(at: number, missing: number): number | null {
    const last = this.#samples.at(-1)
    // More blocks are required than before, so the earlier samples do not fit.
    if (last !== undefined && missing > last.missing) this.#samples = []
    this.#samples = [
      ...this.#samples.filter((sample) => sample.at <= at && at - sample.at <= WINDOW_MS),
      { at, missing },
    ]
    const first = this.#samples[0]
    if (first === undefined || first.at === at) return null
    return ((first.missing - missing) * SECOND) / (at - first.at)
  }
}
