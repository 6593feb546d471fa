import { type Address, HOUR_S, usdText } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import type { Db } from '../../database/transaction.ts'
import { Prisma, type TokenFlow } from '../../generated/client.ts'
import { json, type Stored, timeTexts } from '../../stored.ts'
import { isOfKeptDay } from '../kept-days.ts'
import { copyRows } from '../swap/copy-rows.ts'
import { keyOf, poolKey } from '../swap/pool-key.ts'
import { hopsOfDay } from '../swap/swap-hop.ts'
import { differing, ofDay, type Span, within } from './merge-candles.ts'
import { ruledHops } from './price-rule.ts'
import type { PoolBucket } from './roll-up.ts'

const KEY = ['chain_id', 'token_key', 'hour', 'pool_key', 'part']
const COLUMNS = Prisma.raw([...KEY, 'hops', 'net_usd'].join())
const FLOW = Prisma.raw(KEY.slice(0, -1).join())
const HOUR = Prisma.sql`hour`

interface Flow {
  tokenKey: string
  poolKey: string
  hour: number
  part: number
  hops: number
  usdE8: bigint
}

/**
 * Leaves out an anchor's side of a trade for another token, because its value comes from the anchor's own price.
 *
 * @param anchors tokens with a trusted price
 */
function flowsOf(buckets: readonly PoolBucket[], anchors: ReadonlySet<Address>): Flow[] {
  const flows = new Map<string, Flow>()
  const add = (token: Address, other: Address, usdE8: bigint, bucket: PoolBucket) => {
    if (anchors.has(token) && !anchors.has(other)) return
    const tokenKey = poolKey(token)
    const ofPool = poolKey(bucket.pool)
    const hour = bucket.time - (bucket.time % HOUR_S)
    const key = `${tokenKey} ${ofPool} ${hour}`
    let flow = flows.get(key)
    if (flow === undefined) {
      flow = { tokenKey, poolKey: ofPool, hour, part: bucket.openAt, hops: 0, usdE8: 0n }
      flows.set(key, flow)
    }
    flow.part = Math.min(flow.part, bucket.openAt)
    flow.hops += bucket.pricedHops
    flow.usdE8 += usdE8
  }
  for (const bucket of buckets) {
    if (!bucket.isPriced) continue
    add(bucket.token0, bucket.token1, bucket.netUsdE8, bucket)
    add(bucket.token1, bucket.token0, -bucket.netUsdE8, bucket)
  }
  return [...flows.values()]
}

function* rowsOf(chainId: number, flows: readonly Flow[], onePart?: number): Generator<Stored<TokenFlow>, undefined> {
  const textOf = timeTexts()
  for (const flow of flows) {
    yield {
      chain_id: chainId,
      token_key: flow.tokenKey,
      hour: textOf(flow.hour),
      pool_key: flow.poolKey,
      part: onePart ?? flow.part,
      hops: flow.hops,
      net_usd: usdText(flow.usdE8),
    }
  }
}

export async function mergeTokenFlows(
  tx: Db,
  chainId: number,
  buckets: readonly PoolBucket[],
  anchors: ReadonlySet<Address>,
): Promise<void> {
  const rows = [...rowsOf(chainId, flowsOf(buckets, anchors), 0)]
  if (rows.length === 0) return
  await tx.$executeRaw`
    INSERT INTO token_flow AS stored (${COLUMNS})
    SELECT ${COLUMNS} FROM json_populate_recordset(NULL::token_flow, ${json(rows)})
    ON CONFLICT (${Prisma.raw(KEY.join())}) DO UPDATE SET hops = stored.hops + excluded.hops,
      net_usd = stored.net_usd + excluded.net_usd`
}

const COPY = `COPY token_flow (${COLUMNS.text}) FROM STDIN`

export async function copyTokenFlows(
  connection: ClientBase,
  chainId: number,
  buckets: readonly PoolBucket[],
  anchors: ReadonlySet<Address>,
): Promise<void> {
  const flows = flowsOf(buckets, anchors)
  if (flows.length > 0) await copyRows(connection, COPY, rowsOf(chainId, flows), line)
}

function line(row: Stored<TokenFlow>): string {
  return (
    `${row.chain_id}\t${row.token_key}\t${row.hour}\t${row.pool_key}\t${row.part}\t` + `${row.hops}\t${row.net_usd}\n`
  )
}

function countedFlows(hops: Prisma.Sql): Prisma.Sql {
  const isAnchor = (token: string) => Prisma.raw(`${token} = ANY (network.anchors || network.wrapped_native)`)
  return Prisma.sql`
    SELECT chain_id, token_key, hour, pool_key, count(*)::int AS hops, sum(usd) AS net_usd
    FROM (
      SELECT hop.chain_id, ${keyOf('side.token')} AS token_key, date_trunc('hour', hop.minute) AS hour, hop.pool_key, side.usd
      FROM (${ruledHops(hops)}) AS hop JOIN network ON network.chain_id = hop.chain_id
      CROSS JOIN LATERAL (VALUES (hop.token_in, hop.token_out, -hop.volume_usd), (hop.token_out, hop.token_in, hop.volume_usd))
        AS side (token, other, usd)
      WHERE hop.price0 IS NOT NULL AND (NOT ${isAnchor('side.token')} OR ${isAnchor('side.other')})
    ) AS flow GROUP BY ${FLOW}`
}

/**
 * Subtracts the flows of `hops` from the stored ones, and merges the rest of each hour into one part. The caller holds
 * the network's rows exclusively, and deletes the hops afterwards.
 */
export async function removeTokenFlows(tx: Db, hops: Prisma.Sql): Promise<void> {
  // With JSON the planner expects few flows and looks up each one in its day. The INSERT reads the deleted rows, so the
  // DELETE runs first and frees the keys.
  await tx.$executeRaw`
    WITH gone AS MATERIALIZED (
      SELECT * FROM json_populate_recordset(NULL::token_flow,
        (SELECT json_agg(flow) FROM (${countedFlows(hops)}) AS flow))
    ), deleted AS (
      DELETE FROM token_flow AS stored USING gone
      WHERE stored.chain_id = gone.chain_id AND stored.token_key = gone.token_key AND stored.hour = gone.hour
        AND stored.pool_key = gone.pool_key
      RETURNING stored.chain_id, stored.token_key, stored.hour, stored.pool_key, stored.hops, stored.net_usd
    )
    INSERT INTO token_flow (${COLUMNS})
    SELECT ${FLOW}, 0, sum(hops), sum(net_usd)
    FROM (SELECT * FROM deleted UNION ALL SELECT ${FLOW}, -hops, -net_usd FROM gone) AS part
    GROUP BY ${FLOW} HAVING sum(hops) > 0`
}

export interface FlowSpan extends Span {
  token: Address
}

export interface FlowRow {
  token: string
  pool: string
  hour: number
  /** USD times 10^8. */
  net: string
}

export function flowsWithin(chainId: number, spans: readonly FlowSpan[]): Prisma.Sql {
  const requested = spans.map(({ token, from, to }) => ({ token: poolKey(token), since: from, until: to }))
  // The span of all hours limits the search to the partitions of its days.
  const all = { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) }
  // Grouping inside the sub-query makes Postgres look up the hours of each token; otherwise it may read all tokens'
  // flows.
  return Prisma.sql`
    SELECT requested.token::text, flow.pool_key::text AS pool, extract(epoch FROM flow.hour)::float8 AS hour,
      trunc(flow.net_usd * 1e8)::text AS net
    FROM json_to_recordset(${json(requested)}) AS requested (token bigint, since bigint, until bigint)
    CROSS JOIN LATERAL (
      SELECT pool_key, hour, sum(net_usd) AS net_usd FROM token_flow
      WHERE chain_id = ${chainId} AND token_key = requested.token AND ${within(all, HOUR)} AND ${isOfKeptDay(HOUR)}
        AND hour >= to_timestamp(requested.since) AND hour < to_timestamp(requested.until)
      GROUP BY pool_key, hour
    ) AS flow`
}

export function differingTokenFlows(date: string, limit: number): Prisma.Sql {
  const line = Prisma.sql`concat_ws(' ', sum(hops), round(sum(net_usd), 8)) AS line`
  const lines = (flows: Prisma.Sql) => Prisma.sql`SELECT ${FLOW}, ${line} FROM (${flows}) AS flow GROUP BY ${FLOW}`
  const stored = Prisma.sql`SELECT * FROM token_flow WHERE ${ofDay(date, HOUR)}`
  return differing(FLOW, lines(stored), lines(countedFlows(hopsOfDay(date))), limit)
}

export async function recountTokenFlows(tx: Db, date: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM token_flow WHERE ${ofDay(date, HOUR)}`
  await tx.$executeRaw`
    INSERT INTO token_flow (${COLUMNS}) SELECT ${FLOW}, 0, hops, net_usd FROM (${countedFlows(hopsOfDay(date))}) AS counted`
}
