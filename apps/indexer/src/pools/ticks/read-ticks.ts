import type { Chain } from '@dexfeed/chain'
import {
  addsUp,
  bitmapRange,
  bitmapWords,
  type ConcentratedState,
  type Hex,
  type Pool,
  type PoolAddress,
  readTick,
  type StateReading,
  type TickLiquidity,
  type TickScan,
  ticksOfWord,
} from '@dexfeed/dex'
import { type ScannedTicks, scanTicks } from './scan-ticks.ts'

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
      const told = ticks.get(pool.address)
      const ofPool = told === undefined ? null : whole(told)
      if (told !== undefined && (ofPool === null || addsUp(state, ofPool))) found.set(pool.address, ofPool)
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
