import type { Chain } from '@dexfeed/chain'
import { bitmapRange, type Hex, type Pool, stateReadingOf } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { scanTicks } from './pool-snapshot.ts'

const AT: Hex = `0x${'11'.repeat(32)}`
const dex = { name: 'one', kind: 'uniswap-v3', factory: `0x${'f'.repeat(40)}` } as Pool['dex']
const poolOf = (address: Hex): Pool => ({ address, dex, token0: '0x01', token1: '0x02', fee: 3_000, tickSpacing: 60 })
const pools = [poolOf(`0x${'a'.repeat(40)}`), poolOf(`0x${'b'.repeat(40)}`)]
const scan = stateReadingOf(poolOf('0x01'))?.ticks?.scan ?? expect.fail()

/** Writes the position that a response reached, in hex: the range, and the tick in spacings. */
const cameTo = (range: string, position: string) => `0x00746b73${range}${position}`
const record = (range: string, flag: string, position: string) => `${range}${flag}${position}${'00'.repeat(32)}`

/** Scans with a node that returns these responses one by one, and then refuses. */
async function scanned(...answers: string[]) {
  const left = [...answers]
  const runInitCode: Chain['runInitCode'] = async ({ read }) => {
    const answer = left.shift()
    return answer === undefined ? null : read(answer as Hex)
  }
  const ranges = pools.map((pool) => ({ pool, ...bitmapRange(60) }))
  const found = await scanTicks(runInitCode, scan, ranges, AT)
  return Object.fromEntries(
    [...found].map(([pool, ticks]) => [pool.slice(2, 3), ticks.map((each) => each?.tick ?? null)]),
  )
}

test('ticks that one call does not reach are read by the next ones', async () => {
  const first = cameTo('0000', '00000002') + record('0000', '00', '00000001')
  const second = cameTo('0001', '00000000') + record('0000', '00', '00000002')
  const third = cameTo('0001', '00000000') + record('0000', '01', '00000003')
  expect(await scanned(first, second, third)).toEqual({ a: [60, 120], b: [null] })
})

test('a pool that is not read completely is left out', async () => {
  // The node refuses immediately, within the first pool, or after it.
  expect(await scanned()).toEqual({})
  expect(await scanned(cameTo('0000', '00000002') + record('0000', '00', '00000001'))).toEqual({})
  expect(await scanned(cameTo('0001', '00000000') + record('0000', '00', '00000001'))).toEqual({ a: [60] })
  // One call for the second pool failed.
  expect(await scanned(cameTo('0002', '00000000') + record('0000', '02', '00000000'))).toEqual({ b: [] })
})

test('pools that need more gas than one call has are read by parallel calls', async () => {
  const asked: number[] = []
  const runInitCode: Chain['runInitCode'] = async ({ data }) => {
    asked.push((data.length - scan.program.length) / 64)
    return null
  }
  const many = Array.from({ length: 30 }, () => ({ pool: poolOf(AT.slice(0, 42) as Hex), ...bitmapRange(60) }))
  await scanTicks(runInitCode, scan, many, AT)
  expect(asked).toEqual([14, 14, 2])
  asked.length = 0
  await scanTicks(runInitCode, scan, [{ pool: poolOf('0x01'), ...bitmapRange(1) }], AT)
  expect(asked.length).toBe(3)
})
