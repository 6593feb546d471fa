import { getCreate2Address, id, solidityPackedKeccak256 } from 'ethers'
import { describe, expect, test } from 'vitest'
import { readState } from '../../../test/run-proof.ts'
import type { Hex } from '../../chain.ts'
import { builtInDeployments, parseDexConfig } from '../../deployments/dex-config.ts'
import type { NetworkName } from '../../deployments/networks.ts'
import type { Dex, FeeCall, Pool } from '../../pool.ts'
import { pairAmountOut } from '../../quote/pool-maths/pool-side.ts'
import { decodersOf, stateReadingOf } from '../registry.ts'
import swaps from './fork-swaps.json' with { type: 'json' }

/** The fees of forks with a `feeCall` when these swaps were recorded, in millionths. */
const TOLD_FEES: Readonly<Record<string, bigint>> = { defiswap: 3000n }

/** Decodes the recorded logs of forks: a pair's Sync and the Swap after it. */
const decoders = decodersOf(['uniswap-v2'])

function configured(network: string, name: string): Dex {
  const dex = builtInDeployments[network as NetworkName].dexes.find((each) => each.name === name)
  if (dex === undefined) throw new Error(`${network} has no ${name}`)
  return dex
}

describe('a recorded pair', () => {
  test.each(swaps.flatMap(({ initCodeHash, ...swap }) => (initCodeHash === null ? [] : [{ ...swap, initCodeHash }])))(
    'of $dex on $network is at the address that its configured factory gives it',
    (swap) => {
      const { network, dex, pair, token0, token1, initCodeHash } = swap
      const salt = solidityPackedKeccak256(['address', 'address'], [token0, token1])
      expect(getCreate2Address(configured(network, dex).factory, salt, initCodeHash).toLowerCase()).toBe(pair)
    },
  )

  test.each(swaps)('of $dex on $network paid what its fee leaves, to the wei: $tx', (swap) => {
    const [reserves, swapped] = [swap.sync, swap.swap].map(({ topics, data }) => {
      const log = { address: swap.pair as Hex, topics: topics as Hex[], data: data as Hex }
      return decoders.get(log.topics[0] ?? '0x')?.({ ...log, transactionIndex: 0, logIndex: 0 })
    })
    if (reserves?.type !== 'reserves' || swapped?.type !== 'swap') throw new Error('no Sync and Swap')
    const before = [reserves.reserve0 - swapped.amount0, reserves.reserve1 - swapped.amount1] as const
    const [sold, bought] = swapped.amount0 > 0n ? ([0, 1] as const) : ([1, 0] as const)
    const amounts = [swapped.amount0, swapped.amount1] as const
    const { feeBps, feeCall } = configured(swap.network, swap.dex)
    const fee = feeCall === undefined ? BigInt(feeBps ?? -1) * 100n : TOLD_FEES[swap.dex]
    if (fee === undefined) throw new Error(`no fee of ${swap.dex}`)
    expect(pairAmountOut(amounts[sold], before[sold], before[bought], fee)).toBe(-amounts[bought])
  })
})

test('a fork whose fee is not known is read, and not quoted', () => {
  const [factory, token0, token1] = [1, 2, 3].map((last): Hex => `0x${String(last).padStart(40, '0')}`)
  const parse = (fee: object) => {
    const entry = { wrappedNative: token0, dexes: [{ name: 'fork', kind: 'uniswap-v2', factory, ...fee }] }
    const { deployments, problems } = parseDexConfig(JSON.stringify({ eth: entry }))
    expect(problems).toEqual([])
    return deployments.eth?.dexes[0]
  }
  const poolOf = (dex: Dex | undefined) => ({ address: '0xaa', dex, token0, token1, fee: 0, tickSpacing: null }) as Pool
  expect(parse({ feeBps: null })).toMatchObject({ feeBps: null })
  expect(stateReadingOf(poolOf(parse({ feeBps: null })))).toBeNull()
  expect(parse({})).toMatchObject({ feeBps: 30 })
  expect(stateReadingOf(poolOf(parse({})))).not.toBeNull()
})

describe('a fork whose fee a contract returns', () => {
  const [factory, pair, token0, token1] = [1, 2, 3, 4].map((last): Hex => `0x${String(last).padStart(40, '0')}`)
  const poolWith = (feeCall: FeeCall): Pool => {
    const dex: Dex = { name: 'fork', kind: 'uniswap-v2', factory: factory ?? '0x', feeCall }
    return { address: pair ?? '0x', dex, token0: token0 ?? '0x', token1: token1 ?? '0x', fee: 0, tickSpacing: null }
  }
  const words = (...values: bigint[]): Hex =>
    `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`

  test.each([
    ['pair', 'swapFee', '0x54cf2aeb'],
    ['factory', 'totalFeeBasisPoint', id('totalFeeBasisPoint()').slice(0, 10)],
  ] as const)('is read with the reserves: its %s by %s()', (of, name, selector) => {
    const pool = poolWith({ function: name, of, denominator: 1000 })
    expect(stateReadingOf(pool)?.steps(pool, 0).next([]).value).toEqual([
      { to: pair, data: '0x0902f1ac' },
      { to: of === 'pair' ? pair : factory, data: selector },
    ])
    expect(stateReadingOf(pool)?.beginsRead).toBe(true)
  })

  test.each([
    [1000, 2n, 2000],
    [1000, 0n, 0],
    [1000, 999n, 999_000],
    [10_000, 25n, 2500],
    [1_000_000, 1n, 1],
  ])('of %i parts: %i is %i millionths', (denominator, value, millionths) => {
    const pool = poolWith({ function: 'swapFee', of: 'pair', denominator })
    const fee = { zeroForOne: millionths, oneForZero: millionths, exact: true }
    const state = { kind: 'pair', reserve0: 5n, reserve1: 7n, fee }
    expect(readState(stateReadingOf(pool), pool, [words(5n, 7n, 1n), words(value)])).toEqual(state)
  })

  test.each<[string, readonly (Hex | null)[]]>([
    ['nothing', [words(5n, 7n, 1n), null]],
    ['too little', [words(5n, 7n, 1n), '0x02']],
    ['that it takes all', [words(5n, 7n, 1n), words(1000n)]],
    ['more than all', [words(5n, 7n, 1n), words(2n ** 256n - 1n)]],
    ['its fee alone', [null, words(2n)]],
  ])('has no state while its call returns %s', (_, results) => {
    const pool = poolWith({ function: 'swapFee', of: 'pair', denominator: 1000 })
    expect(readState(stateReadingOf(pool), pool, results)).toBeNull()
  })

  test('says so in the place of feeBps', () => {
    const parse = (fee: object) => {
      const entry = { wrappedNative: token0, dexes: [{ name: 'fork', kind: 'uniswap-v2', factory, ...fee }] }
      return parseDexConfig(JSON.stringify({ eth: entry }))
    }
    const feeCall = { function: 'swapFee', of: 'pair', denominator: 1000 }
    const dex = { name: 'fork', kind: 'uniswap-v2', factory, feeCall }
    expect(parse({ feeCall }).deployments.eth?.dexes).toEqual([dex])
    expect(parse({ feeCall, feeBps: 20 }).problems).toEqual(['eth.dexes[0]: has feeBps and feeCall; keep one of them'])
    for (const wrong of [{ denominator: 300 }, { of: 'router' }, { function: 'swapFee()' }, { decimals: 3 }]) {
      expect(parse({ feeCall: { ...feeCall, ...wrong } }).problems).toHaveLength(1)
    }
  })
})
