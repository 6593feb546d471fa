import type { Client } from 'pg'

/** What the database holds of a network at one time. */
export interface Progress {
  /** Blocks up to the first head that are covered. */
  history: number
  pools: number
  /** Pools whose state is there, those of the most traded, and those that trade every day. */
  withState: number
  topWithState: number
  dailyWithState: number
  trades: number
}

export interface ProgressOf {
  chainId: number
  firstHead: number
  /** The pools that trade every day, the most traded first. */
  daily: readonly string[]
}

/** The number of pools that count as the most traded. */
export const TOP_POOLS = 1_000

export async function readProgress(client: Client, { chainId, firstHead, daily }: ProgressOf): Promise<Progress> {
  const { rows } = await client.query<Record<keyof Progress, string>>(
    `SELECT
       (SELECT coalesce(sum(least(to_block, $2) - from_block + 1), 0) FROM covered_range
         WHERE chain_id = $1 AND from_block <= $2)::text AS history,
       (SELECT count(*) FROM pool WHERE chain_id = $1)::text AS pools,
       (SELECT count(*) FROM pool WHERE chain_id = $1 AND EXISTS (
         SELECT FROM pool_state WHERE pool_state.chain_id = $1 AND pool_state.pool = pool.address))::text AS "withState",
       daily.top::text AS "topWithState", daily.every::text AS "dailyWithState",
       (SELECT coalesce(sum(swaps), 0) FROM day_total WHERE chain_id = $1)::text AS trades
     FROM (
       SELECT count(*) FILTER (WHERE place <= $4) AS top, count(*) AS every
       FROM unnest($3::text[]) WITH ORDINALITY AS daily (pool, place) WHERE EXISTS (
         SELECT FROM pool_state WHERE chain_id = $1 AND pool_state.pool = decode(substring(daily.pool FROM 3), 'hex'))
     ) AS daily`,
    [chainId, firstHead, daily, TOP_POOLS],
  )
  const row = rows[0]
  if (row === undefined) throw new Error('no result')
  const { history, pools, withState, topWithState, dailyWithState, trades } = row
  return {
    history: Number(history),
    pools: Number(pools),
    withState: Number(withState),
    topWithState: Number(topWithState),
    dailyWithState: Number(dailyWithState),
    trades: Number(trades),
  }
}
