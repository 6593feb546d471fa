import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { wordOf } from '../../src/abi/words.ts'
import type { Address, Hex } from '../../src/chain.ts'
import type { Pool } from '../../src/pool.ts'
import type { TickLiquidity } from '../../src/pool-state.ts'
import compiled from '../../src/tick-scan/tick-scan.json' with { type: 'json' }
import {
  bitmapRange,
  bitmapWords,
  encodeScan,
  readScan,
  readTick,
  type ScanPart,
  type ScanRange,
  scanByViews,
  ticksOfWord,
} from '../../src/tick-scan/tick-scan.ts'
import type { StateReading } from '../../src/venues/protocol.ts'
import { uniswapV3 } from '../../src/venues/uniswap-v3/venue.ts'
import { UNISWAP_V4_STATE } from '../../src/venues/uniswap-v4/state.ts'
import { type LocalChain, startLocalChain } from '../local-chain.ts'
import { type TickSlots, writeTicks } from './pool-storage.ts'

const load = createRequire(import.meta.url)
const ZERO = `0x${'00'.repeat(20)}` as const
const MAX_TICK = 887_272
const PLENTY = 30_000_000
/** Enough gas to start a scan and make one call. */
const MIN_GAS = 500_000

// PUSH1 0 PUSH1 0 REVERT; INVALID; PUSH1 1 PUSH1 0 RETURN
const REVERTS = '0x60006000fd'
const BURNS_ALL_GAS = '0xfe'
// PUSH1 255 PUSH1 0 REVERT
const REVERTS_AT_LENGTH = '0x60ff6000fd'
const ANSWERS_A_BYTE = '0x60016000f3'
/** Returns a word with all bits set for every call: PUSH1 0 NOT PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN */
const ANSWERS_BITS_ONLY = '0x60001960005260206000f3'

interface Kind {
  reading: NonNullable<StateReading['ticks']>
  pool: (index: number, spacing: number) => Pool
  /** The real contract, and the storage slots of a pool's ticks in it. */
  code: string
  contract: (pool: Pool) => Address
  slots: (pool: Pool) => TickSlots
  elsewhere: () => Pool
  /** Contracts that return too little data about a tick. */
  tooShort: string[]
}

const MANAGER = `0x${'4a'.repeat(20)}` as const
const addressOf = (index: number): Address => `0x${(0x7000 + index).toString(16).padStart(40, '0')}`

const KINDS: Record<string, Kind> = {
  'Uniswap V3': {
    reading: uniswapV3.state?.ticks ?? expect.fail(),
    pool: (index, tickSpacing) => poolOf(addressOf(index), 'uniswap-v3', ZERO, tickSpacing),
    code: load('@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json').deployedBytecode,
    contract: ({ address }) => address as Address,
    slots: () => ({ ticks: 5n, bitmap: 6n }),
    elsewhere: () => poolOf(addressOf(0), 'uniswap-v3', ZERO, 60),
    tooShort: [ANSWERS_BITS_ONLY],
  },
  'Uniswap V4': {
    reading: UNISWAP_V4_STATE.ticks ?? expect.fail(),
    pool: (index, spacing) => poolOf(`${MANAGER}${wordOf(index)}`, 'uniswap-v4', MANAGER, spacing),
    code: load('@uniswap/v4-core/out/PoolManager.sol/PoolManager.json').deployedBytecode.object,
    contract: ({ dex }) => dex.factory,
    slots: (pool) => {
      const slot = UNISWAP_V4_STATE.ticks?.scan?.slot(pool) ?? expect.fail()
      return { ticks: slot + 4n, bitmap: slot + 5n }
    },
    elsewhere: () => poolOf(`${addressOf(0)}${wordOf(0)}`, 'uniswap-v4', addressOf(0), 60),
    tooShort: [],
  },
}

function poolOf(
  address: Pool['address'],
  kind: 'uniswap-v3' | 'uniswap-v4',
  factory: Address,
  tickSpacing: number,
): Pool {
  return { address, dex: { name: kind, kind, factory }, token0: ZERO, token1: ZERO, fee: 3_000, tickSpacing }
}

const whole = (pool: Pool): ScanRange => ({ pool, ...bitmapRange(pool.tickSpacing ?? 0) })

let chain: LocalChain
let pools = 0

beforeAll(async () => {
  chain = await startLocalChain()
})
afterAll(() => chain?.stop())

async function madePool(kind: Kind, spacing: number, ticks: readonly TickLiquidity[]): Promise<Pool> {
  const pool = kind.pool(++pools, spacing)
  await chain.rpc('anvil_setCode', [kind.contract(pool), kind.code])
  await writeTicks(chain.rpc, kind.contract(pool), kind.slots(pool), { ticks, bitSpacing: spacing })
  return pool
}

/** Returns the node's result of running the code. */
async function run(kind: Kind, ranges: readonly ScanRange[], gas: number): Promise<Hex> {
  const data = encodeScan(kind.reading.scan ?? expect.fail(), ranges)
  return (await chain.rpc('eth_call', [{ data, gas: `0x${gas.toString(16)}` }, 'latest'])) as Hex
}

async function scan(kind: Kind, ranges: readonly ScanRange[], gas = PLENTY) {
  const found: ScanPart = { ticks: [], failed: [], rest: [...ranges] }
  let pages = 0
  while (found.rest.length > 0) {
    const part = readScan(await run(kind, found.rest, gas), found.rest) ?? expect.fail('the node did not return a scan')
    found.ticks.push(...part.ticks)
    found.failed.push(...part.failed)
    found.rest = part.rest
    pages++
  }
  return { ...found, pages }
}

/** Reads each word and each tick with a separate call. */
async function readSingly({ reading }: Kind, pool: Pool): Promise<(TickLiquidity | null)[]> {
  const ask = ({ to, data }: { to: Address; data: Hex }) =>
    chain.rpc('eth_call', [{ to, data }, 'latest']) as Promise<Hex>
  const words = bitmapWords(pool.tickSpacing ?? 0)
  const bitmaps = await Promise.all(words.map((word) => ask(reading.bitmap(pool, word))))
  const ticks = words.flatMap((word, i) => ticksOfWord(word, bitmaps[i] ?? '0x', pool.tickSpacing ?? 0))
  const replies = await Promise.all(ticks.map((tick) => ask(reading.tick(pool, tick))))
  return ticks.map((tick, i) => (reading.read ?? readTick)(tick, replies[i] ?? '0x'))
}

const liquidity = fc.record({
  gross: fc.bigInt({ min: 1n, max: 2n ** 128n - 1n }),
  net: fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }),
})
/** Draws ticks at the ends, at the borders of words, close together and anywhere. */
const ticksOf = (spacing: number) => {
  const maxIndex = Math.floor(MAX_TICK / spacing)
  const borders = [-maxIndex, maxIndex, 0, -1, 255, 256, -256, -257].filter((at) => Math.abs(at) <= maxIndex)
  const near = fc.integer({ min: Math.max(-maxIndex, -300), max: Math.min(maxIndex, 300) })
  const place = fc.oneof(fc.integer({ min: -maxIndex, max: maxIndex }), near, fc.constantFrom(...borders))
  return fc
    .uniqueArray(fc.tuple(place, liquidity), { selector: ([at]) => at, maxLength: 30 })
    .map((ticks) => ticks.map(([at, held]) => ({ tick: at * spacing, ...held })).sort((a, b) => a.tick - b.tick))
}
const shapes = fc.array(
  fc.constantFrom(10, 50, 60, 200, 16_383).chain((spacing) => fc.tuple(fc.constant(spacing), ticksOf(spacing))),
  { minLength: 1, maxLength: 4 },
)

describe.each(Object.entries(KINDS))('pools of %s', (_, kind) => {
  test('with any ticks are scanned as single calls read them, whatever the gas', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.integer({ min: MIN_GAS, max: 4_000_000 }), async (made, gas) => {
        const found: Pool[] = []
        for (const [spacing, ticks] of made) found.push(await madePool(kind, spacing, ticks))
        const { ticks, failed } = await scan(kind, found.map(whole), gas)
        expect(failed).toEqual([])
        for (const [index, pool] of found.entries()) {
          const ofPool = ticks.filter((each) => each.pool === pool.address).map((each) => each.liquidity)
          expect(ofPool).toEqual(made[index]?.[1])
          expect(ofPool).toEqual(await readSingly(kind, pool))
        }
      }),
      { numRuns: 5 * inject('scale') },
    )
  })

  test('of spacing 1 are scanned from end to end in a few calls, and in many where gas is short', async () => {
    const ticks = [-MAX_TICK, -70_001, -1, 0, 255, 256, 400_000, MAX_TICK].map((tick) => ({
      tick,
      gross: 5n,
      net: -3n,
    }))
    const [pool, empty] = [await madePool(kind, 1, ticks), await madePool(kind, 1, [])]
    const plenty = await scan(kind, [whole(pool), whole(empty)], 10_000_000)
    expect(plenty.ticks).toEqual(ticks.map((liquidity) => ({ pool: pool.address, liquidity })))
    expect(plenty.pages).toBeLessThanOrEqual(6)
    const short = await scan(kind, [whole(pool)], 1_000_000)
    expect(short.ticks).toEqual(plenty.ticks)
    expect(short.pages).toBeGreaterThan(2 * plenty.pages)
  })

  test('with more ticks than fit one result are scanned in several', async () => {
    const ticks = Array.from({ length: 1_400 }, (_, i) => ({ tick: (i - 700) * 10, gross: BigInt(i + 1), net: -7n }))
    const pool = await madePool(kind, 10, ticks)
    const { ticks: found, pages } = await scan(kind, [whole(pool)], 1_000_000_000)
    expect(found.map(({ liquidity }) => liquidity)).toEqual(ticks)
    expect(pages).toBe(3)
    const first = await run(kind, [whole(pool)], 1_000_000_000)
    expect(first).toMatch(/^0x00/)
    expect((first.length - 2) / 2).toBeLessThanOrEqual(24_576)
    expect((first.length - 2) / 2).toBeGreaterThan(24_500)
  })

  test('with failed calls are reported, and others beside them are scanned', async () => {
    const ticks = [{ tick: 60, gross: 1n, net: 1n }]
    const [before, gone, after] = [await madePool(kind, 60, ticks), kind.elsewhere(), await madePool(kind, 60, ticks)]
    for (const code of ['0x', REVERTS, REVERTS_AT_LENGTH, BURNS_ALL_GAS, ANSWERS_A_BYTE, ...kind.tooShort]) {
      await chain.rpc('anvil_setCode', [kind.contract(gone), code])
      const ranges = [before, gone, after].map(whole)
      for (const gas of [PLENTY, MIN_GAS]) {
        const { ticks: found, failed } = await scan(kind, ranges, gas)
        expect(failed.map(({ pool }) => pool.address)).toEqual([gone.address])
        expect(found.map(({ pool }) => pool)).toEqual([before.address, after.address])
      }
    }
  })
})

test.each([
  { words: 9, other: 0, ticks: [{ tick: 0, gross: 1n, net: 0n }] },
  { words: 9, other: 1, ticks: [null] },
  { words: 8, other: 1, ticks: [] },
  { words: 10, other: 1, ticks: [] },
])('a tick of $words words, of which the last is $other, is read as $ticks', async ({ words, other, ticks }) => {
  const pool = poolOf(addressOf(++pools), 'uniswap-v3', ZERO, 1)
  const bytes = (32 * words).toString(16).padStart(4, '0')
  // PUSH1 1 PUSH1 0 MSTORE, PUSH1 other PUSH2 256 MSTORE, PUSH2 bytes PUSH1 0 RETURN
  await chain.rpc('anvil_setCode', [pool.address, `0x6001600052600${other}6101005261${bytes}6000f3`])
  const selector = '0x01020304'
  const ranges = [{ pool, from: 0, until: 256, bitSpacing: 1 }]
  const data = encodeScan(scanByViews(selector, selector, { words: 9, at: 8 }), ranges)
  const part = readScan((await chain.rpc('eth_call', [{ data }, 'latest'])) as Hex, ranges)
  expect(part?.ticks.map(({ liquidity }) => liquidity)).toEqual(ticks)
  expect(part?.failed).toEqual(ticks.length === 0 ? ranges : [])
})

test('tick-scan.json is compiled from tick-scan.yul', () => {
  const source = readFileSync(new URL('../../src/tick-scan/tick-scan.yul', import.meta.url))
  expect(createHash('sha256').update(source).digest('hex')).toBe(compiled.source)
})

test('a result that the code cannot have returned is refused', async () => {
  const kind = KINDS['Uniswap V3'] ?? expect.fail()
  const ticks = [-600, 0, 60].map((tick) => ({ tick, gross: 1n, net: 1n }))
  const ranges = [whole(await madePool(kind, 60, ticks)), whole(await madePool(kind, 60, ticks))]
  const answer = await run(kind, ranges, PLENTY)
  expect(readScan(answer, ranges)).toMatchObject({ failed: [], rest: [] })
  const header = '0x00746b73'
  const position = (value: number) => wordOf(value).slice(-8)
  const end = `${header}0002${position(0)}`
  const record = (range: number, at: number, flag = 0) =>
    `${wordOf(range).slice(-4)}0${flag}${position(at)}${'00'.repeat(32)}`
  const known = (text: string) => readScan(text as Hex, ranges)
  expect(known(end)).toEqual({ ticks: [], failed: [], rest: [] })
  expect(known(end + record(0, -10) + record(0, 0) + record(1, -99))).not.toBeNull()
  for (const wrong of [
    ...['0x', '0x00', `0x${'00'.repeat(10)}`, `0x${'ff'.repeat(32)}`, answer.slice(0, -2), `${answer}00`],
    `${end}${record(0, 0).replace(/0$/, 'g')}`,
    // Out of order, repeated, beyond the bitmap, of an unknown range or kind, after a failure.
    end + record(0, 0) + record(0, -10),
    end + record(0, 0) + record(0, 0),
    end + record(1, 0) + record(0, 0),
    end + record(0, -58 * 256 - 1),
    end + record(0, 58 * 256),
    end + record(2, 0),
    end + record(0, 0, 3),
    end + record(0, 0, 2) + record(0, 1),
    // Range index too large, position outside the range, no progress.
    `${header}0003${position(0)}`,
    `${header}0000${position(0)}${record(0, 0)}`,
    `${header}0000${position(0)}${record(1, 0)}`,
    `${header}0001${position(58 * 256)}`,
    `${header}0000${position(-58 * 256)}`,
  ]) {
    expect(known(wrong), wrong).toBeNull()
  }
  const rest = known(`${header}0001${position(-3)}${record(0, 5)}${record(1, -4)}`)?.rest
  expect(rest).toEqual([{ ...ranges[1], from: -3 }])
})
