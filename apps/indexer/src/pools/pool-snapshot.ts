import type { CallMany, RunInitCode } from '@dexfeed/chain'
import {
  addsUp,
  bitmapRange,
  bitmapWords,
  type ConcentratedState,
  countBitmapWords,
  encodeScan,
  type Hex,
  notQuoted,
  type Pool,
  type PoolAddress,
  type PoolState,
  type PoolStateAt,
  readScan,
  readTick,
  type ScanPart,
  type ScanRange,
  type StateReading,
  type StateSteps,
  stateReadingOf,
  type TickLiquidity,
  type TickLiquidityAt,
  type TickScan,
  ticksOfWord,
} from '@dexfeed/dex'
import { callEach, runTogether } from './contract-calls.ts'

interface PoolWithTicks {
  pool: Pool
  state: ConcentratedState
  reading: NonNullable<StateReading['ticks']>
  bitSpacing: number
}

type Ticks = TickLiquidity[] | null

export interface StateNode {
  callMany: CallMany
  runInitCode: RunInitCode
}

/** The head goes first, even if few pools are read. */
const IN_BULK = { priority: 'bulk' } as const

/**
 * Reads all initialised ticks at one block by running code in the node. Uses single calls if that fails, or if the
 * ticks do not add up to the pool's state.
 * @throws Error if a pool does not respond
 */
async function readTicks(chain: StateNode, pools: readonly PoolWithTicks[], at: Hex): Promise<Map<PoolAddress, Ticks>> {
  const found = await readByScan(chain, pools, at)
  const left = pools.filter(({ pool }) => !found.has(pool.address))
  for (const [pool, ticks] of await readSingly(chain, left, at)) found.set(pool, ticks)
  return found
}

async function readByScan(
  { runInitCode }: StateNode,
  pools: readonly PoolWithTicks[],
  at: Hex,
): Promise<Map<PoolAddress, Ticks>> {
  const ofKind = new Map<string, { scan: TickScan; pools: PoolWithTicks[] }>()
  for (const poolWithTicks of pools) {
    const { scan } = poolWithTicks.reading
    if (scan === undefined) continue
    const known = ofKind.get(scan.program) ?? { scan, pools: [] }
    known.pools.push(poolWithTicks)
    ofKind.set(scan.program, known)
  }
  const found = new Map<PoolAddress, Ticks>()
  const scanned = await Promise.all(
    [...ofKind.values()].map(async (kind) => {
      const ranges = kind.pools.map(({ pool, bitSpacing }) => ({ pool, ...bitmapRange(bitSpacing) }))
      return { kind, ticks: await scanTicks(runInitCode, kind.scan, ranges, at) }
    }),
  )
  for (const { kind, ticks } of scanned) {
    for (const { pool, state } of kind.pools) {
      const ofRanges = ticks.get(pool.address)
      const ofPool = ofRanges === undefined ? null : whole(ofRanges)
      if (ofRanges !== undefined && (ofPool === null || addsUp(state, ofPool))) found.set(pool.address, ofPool)
    }
  }
  return found
}

function whole(ticks: ScannedTicks): Ticks {
  const known = ticks.flatMap((tick) => tick ?? [])
  return known.length === ticks.length ? known : null
}

async function readSingly(
  { callMany }: StateNode,
  pools: readonly PoolWithTicks[],
  at: Hex,
): Promise<Map<PoolAddress, Ticks>> {
  const words = pools.flatMap((of) => bitmapWords(of.bitSpacing).map((word) => ({ of, word })))
  const bitmaps = await callMany(
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
  const replies = await callMany(initialised, at, IN_BULK)
  const found = new Map<PoolAddress, ScannedTicks>(pools.map(({ pool }) => [pool.address, []]))
  for (const [index, { pool, tick, read }] of initialised.entries()) {
    found.get(pool)?.push(read(tick, answered(replies[index], pool)))
  }
  return new Map([...found].map(([pool, ticks]) => [pool, whole(ticks)]))
}

/** Throws if there is no reply, because half a snapshot gives wrong prices. */
function answered(reply: Hex | null | undefined, pool: string): Hex {
  if (reply === null || reply === undefined) throw new Error(`pool ${pool} returned its price but not its ticks`)
  return reply
}

/** Null for a tick that holds more than liquidity. */
type ScannedTicks = (TickLiquidity | null)[]

/** Nodes limit a call's gas: some providers to 10 million, geth to 50 million. */
const GAS = 10_000_000
/** If these estimates are too low, more calls follow. */
const GAS_PER_WORD = 3_200
const GAS_OF_TICKS = 300_000
const TICKS_PER_WORD = 256
/** A pool with more words is split over parallel calls. */
const MAX_CALL_WORDS = 2_500
const MAX_CALLS = 32

/** Reads thousands of words per call. Pools missing from the result need single calls. */
export async function scanTicks(
  runInitCode: RunInitCode,
  scan: TickScan,
  pools: readonly ScanRange[],
  at: Hex,
): Promise<Map<PoolAddress, ScannedTicks>> {
  const parts = await Promise.all(questionsOf(pools).map((ranges) => scanRanges(runInitCode, scan, ranges, at)))
  const found = new Map<PoolAddress, ScannedTicks>(pools.map(({ pool }) => [pool.address, []]))
  for (const { ticks } of parts) for (const { pool, liquidity } of ticks) found.get(pool)?.push(liquidity)
  for (const { failed, rest } of parts) for (const { pool } of [...failed, ...rest]) found.delete(pool.address)
  return found
}

async function scanRanges(
  runInitCode: RunInitCode,
  scan: TickScan,
  ranges: readonly ScanRange[],
  at: Hex,
): Promise<ScanPart> {
  const whole: ScanPart = { ticks: [], failed: [], rest: [...ranges] }
  for (let calls = 0; whole.rest.length > 0 && calls < MAX_CALLS; calls++) {
    const { rest } = whole
    const read = (answer: Hex) => readScan(answer, rest)
    const part = await runInitCode({ data: encodeScan(scan, rest), gas: GAS, read }, at)
    if (part === null) break
    whole.ticks.push(...part.ticks)
    whole.failed.push(...part.failed)
    whole.rest = part.rest
  }
  return whole
}

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

function cut(range: ScanRange): ScanRange[] {
  const words = (range.until - range.from) / TICKS_PER_WORD
  const count = Math.ceil(words / MAX_CALL_WORDS)
  const borders = Array.from(
    { length: count + 1 },
    (_, i) => range.from + Math.round((words * i) / count) * TICKS_PER_WORD,
  )
  return borders.slice(1).map((until, i) => ({ ...range, from: borders[i] ?? range.from, until }))
}

export interface PoolSnapshots {
  states: PoolStateAt[]
  ticks: TickLiquidityAt[]
}

/** Nodes keep the state of 128 blocks; this is half of them. */
export const MAX_STATE_DEPTH = 64
/** Bitmap words per snapshot: few enough to be read within a few blocks. */
export const MAX_WORDS = 4_000
/** The limit if code in the node reads the words. */
export const MAX_WORDS_BY_CODE = 24_000
export interface StateBlock {
  number: number
  hash: Hex
  timestamp: number
}

/**
 * Reads pools at the end of a block, with all initialised ticks. Skips pools whose replies do not fit their kind, or
 * whose ticks hold more than liquidity.
 */
export async function snapshotPools(
  chain: StateNode,
  pools: readonly Pool[],
  block: StateBlock,
): Promise<PoolSnapshots> {
  const { number: blockNumber, hash } = block
  const states = await readStates(chain, pools, block)
  const concentrated = states.flatMap(({ pool, state }) => {
    const bitmap = tickBitmap(pool)
    return bitmap === null || state.kind !== 'concentrated' ? [] : [{ pool, state, ...bitmap }]
  })
  const ticks = await readTicks(chain, concentrated, hash)
  return {
    states: states.flatMap(({ pool: { address: pool }, state }) =>
      ticks.get(pool) === null ? [] : [{ pool, blockNumber, state }],
    ),
    ticks: [...ticks].flatMap(([pool, ofPool]) => (ofPool ?? []).map((tick) => ({ pool, blockNumber, ...tick }))),
  }
}

function tickBitmap(pool: Pool): { reading: NonNullable<StateReading['ticks']>; bitSpacing: number } | null {
  const reading = stateReadingOf(pool)?.ticks ?? null
  if (reading === null || pool.tickSpacing === null) return null
  return { reading, bitSpacing: reading.bitSpacing ?? pool.tickSpacing }
}

export function wordsOf(pool: Pool): number {
  const bitmap = tickBitmap(pool)
  return bitmap === null ? 0 : countBitmapWords(bitmap.bitSpacing)
}

function* stateSteps(reading: StateReading, pool: Pool, timestamp: number): StateSteps {
  const reason = reading.unknown === undefined ? null : yield* reading.unknown(pool)
  return reason === null ? yield* reading.steps(pool, timestamp) : notQuoted(reason)
}

async function readStates(
  { callMany }: StateNode,
  pools: readonly Pool[],
  { hash, timestamp }: StateBlock,
): Promise<{ pool: Pool; state: PoolState }[]> {
  const runs = pools.flatMap((pool) => {
    const reading = stateReadingOf(pool)
    return reading === null ? [] : [{ pool, steps: stateSteps(reading, pool, timestamp) }]
  })
  const states = await runTogether(
    runs.map(({ steps }) => steps),
    (questions) => callEach(callMany, questions, hash, IN_BULK),
  )
  return runs.flatMap(({ pool }, index) => {
    const state = states?.[index] ?? null
    return state === null ? [] : [{ pool, state }]
  })
}
