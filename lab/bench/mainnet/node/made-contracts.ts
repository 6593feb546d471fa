import type { Address } from '@dexfeed/dex'
import type { ContractPool, ContractSource } from '@dexfeed/fake-node/contracts/call-contract'
import type { MadeHeader, MadeNetwork } from '../made/made-network.ts'
import { keyOf, lookupKey } from '../made/world/market.ts'
import type { MadePool, MadeToken } from '../made/world/pool.ts'

/** Returns the contracts of a made chain, at any of its blocks. */
export function madeContracts(network: MadeNetwork): ContractSource<MadePool & ContractPool, MadeHeader> {
  const { market, world } = network
  const pools = new Map<Address, { pool: MadePool; born: number }>()
  const tokens = new Map<Address, MadeToken>()
  const created = new Map<string, Address>()
  const factories = new Set<Address>(Object.values(market.factories))
  const add = (pool: MadePool, born: number) => {
    const { address, token0, token1 } = pool
    pools.set(address, { pool, born })
    for (const token of [token0, token1]) tokens.set(token.address, token)
    created.set(keyOf(pool), address)
  }
  for (const token of [market.wrappedNative, ...market.stablecoins]) tokens.set(token.address, token)
  for (const pool of market.pools) add(pool, 0)
  let added = 0
  const addLater = () => {
    const later = world.later.until(network.head)
    for (; added < later.length; added++) {
      const made = later[added]
      if (made !== undefined) add(made.pool, made.born)
    }
  }
  const poolAt = (address: Address, { number }: MadeHeader) => {
    addLater()
    const found = pools.get(address)
    return found === undefined || found.born > number ? null : found.pool
  }
  return {
    pool: poolAt,
    token: (address) => {
      addLater()
      return tokens.get(address) ?? null
    },
    isFactory: (address) => factories.has(address),
    created: (factory, [a, b], fee, block) => {
      addLater()
      const address = created.get(lookupKey(factory, a, b, fee ?? 0))
      return address === undefined || poolAt(address, block) === null ? null : address
    },
    state: (pool, { number }) => world.stateAt(pool, number),
    ticks: ({ kind, ticks }) => (kind === 'uniswap-v2' ? null : ticks),
  }
}
