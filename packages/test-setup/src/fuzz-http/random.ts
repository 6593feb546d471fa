export interface Draw {
  /** A whole number from 0 to `end`, exclusive. */
  below(end: number): number
  chance(part: number): boolean
  pick<T>(from: readonly [T, ...T[]]): T
}

/** Returns random draws that a seed repeats (mulberry32). */
export function drawBy(seed: number): Draw {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    below,
    chance: (part) => next() < part,
    pick: (from) => from[below(from.length)] ?? from[0],
  }
}
