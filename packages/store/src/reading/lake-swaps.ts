import { NETWORKS, type NetworkName, startOfDay } from '@dexfeed/dex'
import type { Reads } from '../database/transaction.ts'
import { Prisma } from '../generated/client.ts'
import { byteaText, json, readTogether } from '../stored.ts'
import type { LakeSwap, LakeSwapSearch } from '../tables/swap/lake-swap.ts'
import { CANDIDATE_POOLS, type CandidatePools, poolOfHop } from '../tables/swap/swap-hop.ts'
import type { SwapPlace } from '../tables/swap/swap-list.ts'
import type { PageRows, SwapWithHops } from '../tables/swap/swap-page.ts'
import type { SwapFilter } from '../tables/swap/swap-search.ts'
import { TOKENS_OF_PAGE } from '../tables/token.ts'
import type { LakeReads } from './past.ts'

// Searches days that Postgres no longer keeps in the lake. Their tokens and pools are still in Postgres.

/** A day (since 1970, UTC) of a network, which has this version in the lake. */
export interface LakeDaySearch extends Omit<LakeSwapSearch, 'filter'> {
  filter: SwapFilter
  network: NetworkName
  day: number
  version: number
}

/** Throws LakeUnavailable. */
export async function searchLakeDay(
  lake: LakeReads,
  {
    network,
    day,
    version,
    filter: { since = 0, until = Number.MAX_SAFE_INTEGER, ...filter },
    ...search
  }: LakeDaySearch,
  signal?: AbortSignal,
): Promise<{ trades: LakeSwap[]; reached: SwapPlace | null }> {
  const span = { from: Math.max(since, startOfDay(day)), to: Math.min(until, startOfDay(day + 1)) }
  const request = {
    kind: 'swaps',
    network,
    ...span,
    firstDay: day,
    versions: [version],
    of: { filter, ...search },
  } as const
  const rows = await lake.rows<'swaps'>(request, signal)
  const last = rows.at(-1)
  return {
    trades: rows.filter((row) => 'network' in row),
    reached: last !== undefined && 'reached' in last ? last.reached : null,
  }
}

/** Adds what Postgres knows about the pools of the hops, and returns the tokens, too. */
export async function nameTrades(
  reads: Reads,
  rows: readonly LakeSwap[],
): Promise<{ rows: SwapWithHops[]; tokens: PageRows['tokens'][] }> {
  if (rows.length === 0) return { rows: [], tokens: [] }
  const chainOf = ({ network }: LakeSwap) => NETWORKS[network].chainId
  const trades = rows.map((row) => ({
    ...{ chain_id: chainOf(row), sell_token: byteaText(row.sellToken), buy_token: byteaText(row.buyToken) },
  }))
  const hops = rows.flatMap((row) => row.hops.map(({ poolKey }) => `${chainOf(row)} ${poolKey}`))
  const keys = [...new Set(hops)].map((name) => {
    const [chain_id, pool_key] = name.split(' ')
    return { chain_id, pool_key }
  })
  type Found = { tokens: PageRows['tokens']; pools: { name: string; pools: CandidatePools } }
  const found = await readTogether<Found>(reads, {
    tokens: Prisma.sql`
      WITH page AS MATERIALIZED (
        SELECT * FROM json_to_recordset(${json(trades)}) AS page (chain_id int, sell_token bytea, buy_token bytea)
      ) ${TOKENS_OF_PAGE}`,
    pools: Prisma.sql`
      SELECT chain_id || ' ' || pool_key AS name, ${CANDIDATE_POOLS} AS pools
      FROM json_to_recordset(${json(keys)}) AS hop (chain_id int, pool_key bigint)`,
  })
  const poolsOf = new Map(found.pools.map(({ name, pools }) => [name, pools]))
  const named = rows.map((row) => ({
    ...row,
    hops: row.hops.map((hop) => {
      const pools = poolsOf.get(`${chainOf(row)} ${hop.poolKey}`) ?? null
      return { ...hop, pool: poolOfHop(pools, byteaText(hop.tokenIn), byteaText(hop.tokenOut)) }
    }),
  }))
  return { rows: named, tokens: found.tokens }
}
