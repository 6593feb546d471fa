import type { Chain } from '@dexfeed/chain'
import {
  encodeScan,
  type Hex,
  type PoolAddress,
  readScan,
  type ScanPart,
  type ScanRange,
  type TickLiquidity,
  type TickScan,
} from '@dexfeed/dex'

/** The ticks of a pool. Null: at one of them stands more than liquidity. */
export type ScannedTicks = (TickLiquidity | null)[]

/** Nodes let one call take from 10 million (some providers) to 50 million (geth). */
const GAS = 10_000_000
/** What a word takes, and what is expected of the ticks of a pool; where that is wrong, there are more questions. */
const GAS_PER_WORD = 3_200
const GAS_OF_TICKS = 300_000
const TICKS_PER_WORD = 256
/** A large pool is read by several questions at a time. */
const MOST_WORDS = 2_500
/** A node that takes so many questions for what one should do is not worth it. */
const MOST_QUESTIONS = 32

/**
 * Reads all initialised ticks of pools of one kind by code that runs inside of the node: a question reads thousands of
 * words. Pools that are left out are to be read by single calls.
 */
export async function scanTicks(
  chain: Pick<Chain, 'runInitCode'>,
  scan: TickScan,
  pools: readonly ScanRange[],
  at: Hex,
): Promise<Map<PoolAddress, ScannedTicks>> {
  const parts = await Promise.all(questionsOf(pools).map((ranges) => scanRanges(chain, scan, ranges, at)))
  const found = new Map<PoolAddress, ScannedTicks>(pools.map(({ pool }) => [pool.address, []]))
  for (const { ticks } of parts) for (const { pool, liquidity } of ticks) found.get(pool)?.push(liquidity)
  for (const { failed, rest } of parts) for (const { pool } of [...failed, ...rest]) found.delete(pool.address)
  return found
}

/** One question after the other, each from where the last one came to; `rest` is what stays unread. */
async function scanRanges(
  chain: Pick<Chain, 'runInitCode'>,
  scan: TickScan,
  ranges: readonly ScanRange[],
  at: Hex,
): Promise<ScanPart> {
  const whole: ScanPart = { ticks: [], failed: [], rest: [...ranges] }
  for (let asked = 0; whole.rest.length > 0 && asked < MOST_QUESTIONS; asked++) {
    const { rest } = whole
    const read = (answer: Hex) => readScan(answer, rest)
    const part = await chain.runInitCode({ data: encodeScan(scan, rest), gas: GAS, read }, at)
    if (part === null) break
    whole.ticks.push(...part.ticks)
    whole.failed.push(...part.failed)
    whole.rest = part.rest
  }
  return whole
}

/** The ranges of one question each, by what they will probably take. */
function questionsOf(pools: readonly ScanRange[]): ScanRange[][] {
  const questions: ScanRange[][] = []
  let left = 0
  for (const range of pools.flatMap(cut)) {
    const gas = ((range.until - range.from) / TICKS_PER_WORD) * GAS_PER_WORD + GAS_OF_TICKS
    const last = questions.at(-1)
    if (last === undefined || gas > left) {
      questions.push([range])
      left = GAS - gas
    } else {
      last.push(range)
      left -= gas
    }
  }
  return questions
}

/** Parts of nearly the same length. */
function cut(range: ScanRange): ScanRange[] {
  const words = (range.until - range.from) / TICKS_PER_WORD
  const count = Math.ceil(words / MOST_WORDS)
  const borders = Array.from(
    { length: count + 1 },
    (_, i) => range.from + Math.round((words * i) / count) * TICKS_PER_WORD,
  )
  return borders.slice(1).map((until, i) => ({ ...range, from: borders[i] ?? range.from, until }))
}
