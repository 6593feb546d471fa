import type { Random } from '@dexfeed/devnet'

/** Returns random hex digits, eight per word. */
export function hexDigits(random: Random, words: number): string {
  return Array.from({ length: words }, () =>
    random
      .integer(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('')
}
