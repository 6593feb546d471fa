import type { Chain } from '@dexfeed/chain'
import {
  addsUp,
  bitmapRange,
  bitmapWords,
  type ConcentratedState,
  encodeScan,
  type Hex,
  type Pool,
  type PoolAddress,
  readScan,
  readTick,
  type ScanPart,
  type ScanRange,
  type StateReading,
  type TickLiquidity,
  type TickScan,
  ticksOfWord,
} from '@dexfeed/dex'

/** A pool whose ticks are to be read. */
export interface PoolWithTicks {
  pool: Pool
  /** As it is at the block that the ticks are read at. */
  state: ConcentratedState
  reading: NonNullable<StateReading['ticks']>
  bitSpacing: number
}

/** Null: more than liquidity stands at one of them. */
type Ticks = TickLiquidity[] | null

/** The head goes first, however few pools are read. */
const IN_BULK = { priority: 'bulk' } as const

/**
 * Reads all initialised ticks of pools at one block: by code that runs inside of the node, and by single calls where it
 * does not run or what it tells does not add up to the pool's state. Throws where a pool does not answer.
 */
export async function readTicks(
  chain: Pick<Chain, 'callMany' | 'runInitCode'>,
  pools: readonly PoolWithTicks[],
  at: Hex,
): Promise<Map<PoolAddress, Ticks>> {
  const found = await readByScan(chain, pools, at)
  const left = pools.filter(({ pool }) => !found.has(pool.address))
  for (const [pool, ticks] of await readSingly(chain, left, at)) found.set(pool, ticks)
  return found
}

/** Those that can be read so. */
async function readByScan(
  chain: Pick<Chain, 'runInitCode'>,
  pools: readonly PoolWithTicks[],
  at: Hex,
): Promise<Map<PoolAddress, Ticks>> {
  const ofKind = new Map<string, { scan: TickScan; pools: PoolWithTicks[] }>()
  for (const one of pools) {
    const { scan } = one.reading
    if (scan === undefined) continue
    const known = ofKind.get(scan.program) ?? { scan, pools: [] }
    known.pools.push(one)
    ofKind.set(scan.program, known)
  }
  const found = new Map<PoolAddress, Ticks>()
  const scanned = await Promise.all(
    [...ofKind.values()].map(async (kind) => {
      const ranges = kind.pools.map(({ pool, bitSpacing }) => ({ pool, ...bitmapRange(bitSpacing) }))
      return { kind, ticks: await scanTicks(chain, kind.scan, ranges, at) }
    }),
  )
  for (const { kind, ticks } of scanned) {
    for (const { pool, state } of kind.pools) {
      const scanned = ticks.get(pool.address)
      const ofPool = scanned === undefined ? null : whole(scanned)
      if (scanned !== undefined && (ofPool === null || addsUp(state, ofPool))) found.set(pool.address, ofPool)
    }
  }
  return found
}

function whole(ticks: ScannedTicks): Ticks {
  const known = ticks.flatMap((tick) => tick ?? [])
  return known.length === ticks.length ? known : null
}

/** By a call for each word and each tick. */
async function readSingly(
  chain: Pick<Chain, 'callMany'>,
  pools: readonly PoolWithTicks[],
  at: Hex,
): Promise<Map<PoolAddress, Ticks>> {
  const words = pools.flatMap((of) => bitmapWords(of.bitSpacing).map((word) => ({ of, word })))
  const bitmaps = await chain.callMany(
    words.map(({ of, word }) => of.reading.bitmap(of.pool, word)),
    at,
    IN_BULK,
  )
  const initialised = words.flatMap(({ of: { pool, reading, bitSpacing }, word }, index) =>
    ticksOfWord(word, answered(bitmaps[index], pool.address), bitSpacing).map((tick) => ({
      pool: pool.address,
      tick,
      read: reading.read ?? readTick,
      ...reading.tick(pool, tick),
    })),
  )
  const replies = await chain.callMany(initialised, at, IN_BULK)
  const found = new Map<PoolAddress, ScannedTicks>(pools.map(({ pool }) => [pool.address, []]))
  for (const [index, { pool, tick, read }] of initialised.entries()) {
    found.get(pool)?.push(read(tick, answered(replies[index], pool)))
  }
  return new Map([...found].map(([pool, ticks]) => [pool, whole(ticks)]))
}

/** A pool that answered its price must answer its ticks; half a snapshot would be a wrong price. */
function answered(reply: Hex | null | undefined, pool: string): Hex {
  if (reply === null || reply === undefined) throw new Error(`pool ${pool} does not answer its ticks`)
  return reply
}

/** The ticks of a pool. Null: at one of them stands more than liquidity. */
export type ScannedTicks = (TickLiquidity | null)[]

/** Nodes let one call take from 10 million (some providers) to 50 million (geth). */
const GAS = 10_000_000
/** What a word takes, and what is expected of the ticks of a pool; where that is wrong, there are more questions. */
const GAS_PER_WORD = 3_200
const GAS_OF_TICKS = 300_000
const TICKS_PER_WORD = 256
/** A large pool is read by several questions at a time. */
const MAX_CALL_WORDS = 2_500
/** A node that takes so many questions for what one should do is not worth it. */
const MAX_CALLS = 32

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
  for (let asked = 0; whole.rest.length > 0 && asked < MAX_CALLS; asked++) {
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
  const count = Math.ceil(words / MAX_CALL_WORDS)
  const borders = Array.from(
    { length: count + 1 },
    (_, i) => range.from + Math.round((words * i) / count) * TICKS_PER_WORD,
  )
  return borders.slice(1).map((until, i) => ({ ...range, from: borders[i] ?? range.from, until }))
}
