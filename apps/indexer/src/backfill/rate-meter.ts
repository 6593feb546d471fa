import { SECOND } from '@dexfeed/dex'

const WINDOW_MS = 30 * SECOND

export class RateMeter {
  #samples: { at: number; missing: number }[] = []

  /** Blocks per second of the last half minute, else null. A jump of `at` (ms) drops earlier samples. */
  measure(at: number, missing: number): number | null {
    const last = this.#samples.at(-1)
    // More blocks are required than before.
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
