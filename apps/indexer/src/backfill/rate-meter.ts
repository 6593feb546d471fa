import { SECOND } from '@dexfeed/dex'

const WINDOW_MS = 30 * SECOND

export class RateMeter {
  #samples: { at: number; missing: number }[] = []

  /**
   * Returns blocks per second over the last half minute, or null if unknown. A clock jump (`at`, ms) discards earlier
   * samples.
   */
  measure(at: number, missing: number): number | null {
    const last = this.#samples.at(-1)
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
