import { type Address, NETWORKS, type NetworkName, type PoolAddress } from '@dexfeed/dex'
import type { Reads } from '../database/transaction.ts'
import type { Prisma } from '../generated/client.ts'
import { readRows } from '../stored.ts'
import { CHANGE_AGES_S } from '../tables/rollups/merge-candles.ts'
import {
  MAX_COUNTED,
  type TradersRow,
  type TradersWanted,
  tradersByBlocks,
  tradersByPools,
} from '../tables/swap/trader-count.ts'

export interface TradersRequest {
  /** Only its hops; without it, the token's hops in all pools. */
  pool?: PoolAddress
  /** Whose buyers and sellers are counted. */
  token: Address
  /** Number of hops since each of CHANGE_AGES_S. */
  hops: readonly number[]
}

export interface AgeTraders {
  buyers: number
  sellers: number
  traders: number
}

export interface CountedUntil {
  /** In seconds. */
  to: number
  /** The last block; null: all. */
  head: number | null
}

/** So that a statement ends within seconds. */
const STATEMENT_HOPS = 1_000_000

/**
 * Returns the distinct signers of each request's hops since each of CHANGE_AGES_S; null where there are more than
 * MAX_COUNTED hops. The requests are all of pools, or all of tokens.
 */
export async function readTradersOfAges(
  db: Reads,
  network: NetworkName,
  requests: readonly TradersRequest[],
  { to, head }: CountedUntil,
): Promise<(AgeTraders | null)[][]> {
  const times = CHANGE_AGES_S.map((age) => to - age)
  const span = { times, to, head: head ?? Number.MAX_SAFE_INTEGER }
  const found = new Map<number, TradersRow['counts']>()
  const read = async (query: Prisma.Sql) => {
    for (const { n, counts } of await readRows<TradersRow>(db, query)) found.set(n, counts)
  }
  const byBlocks: TradersWanted[] = []
  const byPools = new Batches<TradersWanted>()
  for (const [n, { hops, ...request }] of requests.entries()) {
    const widest = widestOf(hops)
    const count = hops[widest] ?? 0
    const since = times[widest]
    if (count === 0 || since === undefined) continue
    const wanted = { n, ...request, since }
    // A pool's index has all of its day's hops.
    if (widest === times.length - 1) byPools.add(wanted, count)
    else byBlocks.push(wanted)
  }
  for (const wanted of byPools.all) await read(tradersByPools(NETWORKS[network].chainId, wanted, span))
  if (byBlocks.length > 0) await read(tradersByBlocks(network, byBlocks, span))
  return requests.map(({ hops }, n) =>
    hops.map((count, age) => {
      if (count > MAX_COUNTED) return null
      const [buyers, sellers, traders] = found.get(n)?.[age] ?? [0, 0, 0]
      return { buyers, sellers, traders }
    }),
  )
}

/** Returns how many of a request's hops are counted. */
export function countedHops({ hops }: Pick<TradersRequest, 'hops'>): number {
  return hops[widestOf(hops)] ?? 0
}

function widestOf(hops: readonly number[]): number {
  return hops.findLastIndex((count) => count <= MAX_COUNTED)
}

class Batches<Item> {
  readonly all: Item[][] = []
  #hops = Number.POSITIVE_INFINITY

  add(item: Item, hops: number): void {
    this.#hops += hops
    const last = this.all.at(-1)
    if (last !== undefined && this.#hops <= STATEMENT_HOPS) {
      last.push(item)
      return
    }
    this.all.push([item])
    this.#hops = hops
  }
}
