import { DAY_S, HOUR_S, NETWORKS } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { withClient } from '../bench-database.ts'
import { keyOf, makePartitions } from '../fill-trades.ts'
import { NETWORK, tokenAddress } from './fill-market.ts'

const { chainId: CHAIN_ID } = NETWORKS[NETWORK]
const HOURS_AGO = [2, 11, 23, 30]

/**
 * Extends the rows of `fillMarket`: token 1 becomes a stablecoin, there are as many tokens as pools, and all have
 * trades.
 *
 * @param now in seconds since 1970
 */
export async function fillFigures(databaseUrl: string, pools: number, now: number, shutdown: Pick<Shutdown, 'signal'>) {
  await withClient(databaseUrl, shutdown, async (client) => {
    await client.query('SET synchronous_commit = off')
    for (const day of [now - 2 * DAY_S, now - DAY_S, now]) {
      await makePartitions(client, ['pool_candle', 'token_volume', 'token_flow'], day)
    }
    await client.query(`UPDATE network SET stablecoins = ARRAY['\\x${tokenAddress(1).slice(2)}'::bytea],
      anchors = ARRAY['\\x${tokenAddress(1).slice(2)}'::bytea]`)
    await client.query(`INSERT INTO token SELECT ${CHAIN_ID}, substr(sha256(('lone' || n)::bytea), 1, 20), 'L' || n, 'Lone ' || n, 18
      FROM generate_series(1, ${pools} - (SELECT count(*) FROM token)) AS n`)
    for (const hours of HOURS_AGO) await fillMinute(client, now - hours * HOUR_S)
    await client.query('VACUUM ANALYZE')
    await client.query('CHECKPOINT')
  })
}

async function fillMinute(client: Client, time: number): Promise<void> {
  const minute = `date_trunc('minute', to_timestamp(${time}) - (n % 10) * interval '1 minute')`
  const close = (salt: number) => `1e24 + (n::numeric * ${7_919 + salt} + ${time % 1_000}) * 987654321012345`
  const columns = `chain_id, minute, part, trades, unpriced, volume_usd, buys, buy_volume_usd`
  const volume = '((n::bigint * 104729) % 99999937)::numeric / 100'
  const values = `${CHAIN_ID}, ${minute}, 0, 1 + n % 40, n % 3, ${volume}, n % 40, ${volume} / 4`
  const tokens = `(SELECT address, row_number() OVER () AS n FROM token WHERE chain_id = ${CHAIN_ID}) AS token`
  await client.query(`INSERT INTO token_volume (${columns}, token) SELECT ${values}, address FROM ${tokens}`)
  const pools = `(SELECT address, token0, token1, row_number() OVER () AS n FROM pool WHERE chain_id = ${CHAIN_ID}) AS pool`
  await client.query(`INSERT INTO pool_candle (${columns}, open_at, close_at, pool_key, token0_key, token1_key, open0, high0,
      low0, close0, open1, high1, low1, close1)
    SELECT ${values}, n, n, ${keyOf('address')}, ${keyOf('least(token0, token1)')}, ${keyOf('greatest(token0, token1)')},
      ${Array(4).fill(close(0)).join()}, ${Array(4).fill(close(9)).join()} FROM ${pools} WHERE token0 <> token1`)
  await client.query(`INSERT INTO token_flow (chain_id, token_key, hour, pool_key, part, hops, net_usd)
    SELECT ${CHAIN_ID}, ${keyOf('token')}, date_trunc('hour', ${minute}), ${keyOf('address')}, 0, 1 + n % 40, n
    FROM ${pools} CROSS JOIN LATERAL (VALUES (token0, token1), (token1, token0)) AS side (token, other)
    JOIN network ON network.chain_id = ${CHAIN_ID} CROSS JOIN LATERAL (VALUES (anchors || wrapped_native)) AS trusted (tokens)
    WHERE token0 <> token1 AND (token <> ALL (trusted.tokens) OR other = ANY (trusted.tokens))`)
}
