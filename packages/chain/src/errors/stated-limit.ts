import type { BlockRange } from '@dexfeed/dex'

/** Words for things that a limit of blocks can apply to, and words that set a limit. */
const BLOCKS = /\b(?:blocks?|ranges?|distance|span|smaller than size)\b/i
const CAP =
  /\b(?:max(?:imum)?|limit(?:ed|s)?|at most|up to|over|cap(?:ped)?|threshold|allow(?:ed|s)?|within|exceed(?:s|ed|ing)?|(?:more|larger|bigger|greater|wider|longer|higher|smaller|less|fewer) than)\b|[<>≤]/i
/** A limit in a sentence about these counts them, unless its number is followed by the word for blocks. */
const OTHERS =
  /\b(?:logs?|results?|events?|entries|items?|records?|matches|responses?|bytes?|address(?:es)?|topics?|param(?:eter)?s?)\b/i
const UNIT =
  /^\s*(?:blocks?|logs?|results?|events?|entries|items?|records?|matches|bytes?|[kmg]i?b|ms|s|sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|requests?|req|calls?|address(?:es)?|topics?|param(?:eter)?s?|credits?|units?|compute|cu|rps|times)\b|^\s?%/i
/** Blocks that are counted as a limit, not as an age. */
const OF_BLOCKS = /^[\s-]*(?:blocks?|ranges?)\b(?!\s+(?:behind|old|ago|away|deep|back|late)\b)/i
const NUMBER = /(?<![\w.#/-])(\d{1,9})(?:\s?(k)\b)?(?![\w/]|[.-]\d)/gi
/** The text before a number that is a place or a name, not a limit. */
const PLACE =
  /\b(?:from|code|error|status|http|version|id|got|received|requested|latest|head|current|block|height|number)(?: is)?[\s:=#]*$|\bfrom \S+ to $/i

/**
 * Returns the most blocks that one request may span, as a node's refusal states it in words (see the table in the
 * test); null if it states none. A limit of logs is not one of blocks.
 *
 * @param requested the refused range: its own numbers are no limit
 */
export function statedLimit(text: string, { from, to }: BlockRange): number | null {
  const blocks = to - from + 1
  const stated = sentencesOf(text)
    .flatMap(limitsIn)
    .filter((limit) => limit >= 1 && ![blocks, from, to].includes(limit))
  // Some nodes count the range that was requested without its first block.
  return stated.find((limit) => limit !== blocks - 1) ?? stated[0] ?? null
}

/** Splits names of fields and digits grouped by thousands, and leaves out the method's name, which speaks of logs. */
function sentencesOf(text: string): string[] {
  return text
    .replace(/\w*getLogs\b/gi, 'query')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/(\d)[,_\s](?=\d{3}(?!\d))/g, '$1')
    .split(/[;\n]|\.(?=\s|$)/)
}

function limitsIn(sentence: string): number[] {
  if (!CAP.test(sentence)) return []
  return [...sentence.matchAll(NUMBER)].flatMap((found) => {
    const before = sentence.slice(0, found.index)
    const after = sentence.slice(found.index + found[0].length)
    const ofBlocks = OF_BLOCKS.test(after)
    const isLimit = ofBlocks || (BLOCKS.test(sentence) && !OTHERS.test(sentence) && CAP.test(before))
    if (!isLimit || PLACE.test(before) || (!ofBlocks && UNIT.test(after))) return []
    return [Number(found[1]) * (found[2] === undefined ? 1 : 1000)]
  })
}
