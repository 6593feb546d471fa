import type { Address } from '@dexfeed/dex'
import type { ContractSource } from '../../chain/contracts/call-contract.ts'
import type { MadeChain, MadeHeader } from '../../chain/made/made-chain.ts'
import { lookupKey, type MadePool, type MadeToken, pairKey } from '../../chain/made/market.ts'

/** Returns the contracts of a made chain, at any of its blocks. */
export function madeContracts(chain: MadeChain): ContractSource<MadePool, MadeHeader> {
  const { market } = chain
  const pools = new Map<Address, { pool: MadePool; born: number }>()
  const tokens = new Map<Address, MadeToken>()
  const created = new Map<string, Address>()
  const factories = new Set<Address>(Object.values(market.factories))
  const add = (pool: MadePool, born: number) => {
    const { address, token0, token1 } = pool
    pools.set(address, { pool, born })
    for (const token of [token0, token1]) tokens.set(token.address, token)
    created.set(lookupKey(pool), address)
  }
  for (const token of [market.wrappedNative, ...market.stablecoins]) tokens.set(token.address, token)
  for (const pool of market.pools) add(pool, 0)
  let added = 0
  const addLater = () => {
    const later = chain.later.until(chain.head)
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
      const address = created.get(pairKey(factory, a, b, fee))
      return address === undefined || poolAt(address, block) === null ? null : address
    },
    state: (pool, { number }) => chain.stateAt(pool, pools.get(pool.address)?.born ?? 0, number),
    ticks: ({ tickSpacing, ticks }) => (tickSpacing === null ? null : ticks),
  }
}
