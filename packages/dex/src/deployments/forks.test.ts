import { getCreate2Address, solidityPackedKeccak256 } from 'ethers'
import { describe, expect, test } from 'vitest'
import swaps from '../../test/fixtures/fork-swaps.json' with { type: 'json' }
import type { Hex } from '../chain/hex.ts'
import type { Dex, Pool } from '../pool.ts'
import { decodersOf, stateReadingOf } from '../protocols/registry.ts'
import { pairAmountOut } from '../quote/pool-maths/pair-amount-out.ts'
import { builtInDeployments } from './built-in.ts'
import { parseDexConfig } from './dex-config.ts'
import type { NetworkName } from './networks.ts'

/** Recorded logs of forks of Uniswap V2: a pair's Sync and the Swap behind it. */
const decoders = decodersOf(['uniswap-v2'])

function configured(network: string, name: string): Dex {
  const dex = builtInDeployments[network as NetworkName].dexes.find((each) => each.name === name)
  if (dex === undefined) throw new Error(`${network} has no ${name}`)
  return dex
}

describe('a recorded pair', () => {
  test.each(swaps.flatMap(({ initCodeHash, ...swap }) => (initCodeHash === null ? [] : [{ ...swap, initCodeHash }])))(
    'of $dex on $network stands where its configured factory makes it',
    (swap) => {
      const { network, dex, pair, token0, token1, initCodeHash } = swap
      const salt = solidityPackedKeccak256(['address', 'address'], [token0, token1])
      expect(getCreate2Address(configured(network, dex).factory, salt, initCodeHash).toLowerCase()).toBe(pair)
    },
  )

  test.each(swaps)('of $dex on $network paid what the configured fee leaves, to the wei: $tx', (swap) => {
    const [reserves, swapped] = [swap.sync, swap.swap].map(({ topics, data }) => {
      const log = { address: swap.pair as Hex, topics: topics as Hex[], data: data as Hex }
      return decoders.get(log.topics[0] ?? '0x')?.({ ...log, transactionIndex: 0, logIndex: 0 })
    })
    if (reserves?.type !== 'reserves' || swapped?.type !== 'swap') throw new Error('no Sync and Swap')
    const before = [reserves.reserve0 - swapped.amount0, reserves.reserve1 - swapped.amount1] as const
    const [sold, bought] = swapped.amount0 > 0n ? ([0, 1] as const) : ([1, 0] as const)
    const amounts = [swapped.amount0, swapped.amount1] as const
    const fee = BigInt(configured(swap.network, swap.dex).feeBps ?? -1) * 100n
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
