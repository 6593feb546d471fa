import type { BlockRange } from '@dexfeed/dex'

const NUMBER = '([\\d,]+)\\s?(k\\b)?'
/** Sentences that name the most blocks of one question, as providers write them (see the table in the test). */
const LIMITS: readonly RegExp[] = [
  `maximum is set to ${NUMBER}`,
  `max(?:imum)? (?:block )?range:? (?:is )?${NUMBER}`,
  `requested blocks is ${NUMBER}`,
  `limited to (?:a |0 - )?${NUMBER}`,
  `\\(\\d+ > ${NUMBER}\\)`,
  `at most (?:a )?${NUMBER} block`,
  `range greater than ${NUMBER} max`,
  `block range exceeds ${NUMBER}`,
  `max is ${NUMBER} block`,
  `smaller than size ${NUMBER}`,
  `\\(maximum ${NUMBER}\\)`,
  `up to (?:a )?${NUMBER} block range`,
  `blocks? distance: ${NUMBER}`,
  `maximum allowed is ${NUMBER}`,
  `range \\d+ exceeds limit of ${NUMBER}`,
  `maximum ${NUMBER} blocks per request`,
  `exceeds the ${NUMBER} blocks limit`,
].map((source) => new RegExp(source, 'i'))
const HEX_HINT = /\[\s*(0x[0-9a-f]+)\s*,\s*(0x[0-9a-f]+)\s*\]/i
const DECIMAL_HINT = /range (\d+)\s?-\s?(\d+)/i

/**
 * The next smaller question after a refusal: the range that the node itself proposes, else its stated limit, else half.
 * Only what shrinks counts, so no range is ever asked twice; `to` is null when it is one block already.
 * `maxBlocks`: the stated limit, which holds for later questions as well.
 */
export function suggestRange(
  message: string,
  data: unknown,
  { from, to }: BlockRange,
): { to: number | null; maxBlocks: number | null } {
  const blocks = to - from + 1
  const maxBlocks = statedLimit(message)
  if (blocks <= 1) return { to: null, maxBlocks }
  const hint = hintedBlocks(message, data)
  const fitting = [hint, maxBlocks].find((n) => n !== null && n >= 1 && n < blocks) ?? blocks >> 1
  return { to: from + fitting - 1, maxBlocks }
}

function statedLimit(message: string): number | null {
  for (const pattern of LIMITS) {
    const found = pattern.exec(message)
    if (!found?.[1]) continue
    const blocks = Number(found[1].replaceAll(',', '')) * (found[2] ? 1000 : 1)
    if (Number.isSafeInteger(blocks) && blocks >= 1) return blocks
  }
  return null
}

/** How many blocks the proposed range has; null without one, or with one that is upside down. */
function hintedBlocks(message: string, data: unknown): number | null {
  const found = HEX_HINT.exec(message) ?? DECIMAL_HINT.exec(message) ?? fromData(data)
  if (!found) return null
  const blocks = Number(found[2]) - Number(found[1]) + 1
  return Number.isSafeInteger(blocks) && blocks >= 1 ? blocks : null
}

/** Infura also says it in `data: { from, limit, to }`. */
function fromData(data: unknown): readonly [unknown, unknown, unknown] | null {
  if (typeof data !== 'object' || data === null || !('from' in data) || !('to' in data)) return null
  return [null, data.from, data.to]
}
