import { type Address, DAY_S } from '@dexfeed/dex'
import { type SeedNetwork, seedNetwork, seedPool, seedState } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { NOON } from './api-fixture.ts'

export const WBNB = '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'
export const USDT = '0x55d398326f99059ff775485246999027b3197955'
export const CAKE = '0x0e09fabb73bd3ade0a17ecc321fd13a19e81ce82'

/** Tokens of bsc, listed under their symbols. */
export const LISTED = {
  WBNB: { address: WBNB, symbol: 'WBNB', name: 'Wrapped BNB', decimals: 18, symbols: ['WBNB'] },
  USDT: { address: USDT, symbol: 'USDT', name: 'Tether USD', decimals: 18, symbols: ['USDT'] },
  CAKE: { address: CAKE, symbol: 'Cake', name: 'PancakeSwap Token', decimals: 18, symbols: ['CAKE'] },
} as const

/** Seeds a network whose last day is covered. Its head is block 100, `ageS` seconds before noon. */
export function seedCovered(
  owner: Client,
  network: Pick<SeedNetwork, 'network' | 'wrapped' | 'stablecoins'>,
  ageS = 0,
): Promise<void> {
  const [start, head] = [NOON - DAY_S, NOON - ageS]
  return seedNetwork(owner, {
    ...network,
    start: { number: 1, time: start },
    head: { number: 100, time: head },
    covered: [[1, 100, start, head]],
  })
}

export type PairTokens = readonly [[token: Address, reserve: bigint], [token: Address, reserve: bigint]]

/** Seeds a pair of two tokens, in either order, with its reserves at block 100. */
export async function seedPair(
  owner: Client,
  { network = 'bsc', address }: { network?: SeedNetwork['network']; address: Address },
  ...[a, b]: PairTokens
): Promise<void> {
  const [[token0, reserve0], [token1, reserve1]] = a[0] < b[0] ? [a, b] : [b, a]
  await seedPool(owner, { network, address, token0, token1 })
  const state = { kind: 'pair', reserve0, reserve1 } as const
  await seedState(owner, { network, pool: address, block: 100, state })
}
