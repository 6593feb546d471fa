/** A seeded generator (mulberry32), so that every run makes the same chain. */
export interface Random {
  /** From 0 to below 1. */
  fraction(): number
  /** From 0 to below the bound. */
  below(bound: number): number
  /** Hex digits, eight a word. */
  hex(words: number): string
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  return {
    fraction: () => next() / 2 ** 32,
    below: (bound) => Math.floor((next() / 2 ** 32) * bound),
    hex: (words) => {
      let digits = ''
      for (let i = 0; i < words; i++) digits += next().toString(16).padStart(8, '0')
      return digits
    },
  }
}
