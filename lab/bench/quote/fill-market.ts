import { createHash } from 'node:crypto'
import { type Address, NETWORKS, ROW_RULES } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { withClient } from '../bench-database.ts'

export const NETWORK = 'bsc'
const WRAPPED: Address = '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'
export const HEAD = 1_000_000

const { chainId: CHAIN_ID } = NETWORKS[NETWORK]
/** Tokens 0 to 4. The first is the wrapped coin. */
export const HUBS = 5
/** Numbers of ticks, which the pools with ticks have in turn. */
const TICKS = [10, 12, 14, 14]
const SPACING = 60
const MOVES = 100_000

export function tokenAddress(token: number): Address {
  return token === 0 ? WRAPPED : addressOf('token', token)
}

/**
 * Fills a database with the market of one network: two tokens for every three pools. Two pools in five have ticks, and
 * one in twenty is a stable pool of three coins. Each pool's state is from another block. Tokens have moves of the last
 * week.
 *
 * @param dust pools on each of two links between hubs
 */
export async function fillMarket(
  databaseUrl: string,
  pools: number,
  shutdown: Pick<Shutdown, 'signal'>,
  dust = 0,
): Promise<void> {
  await withClient(databaseUrl, shutdown, async (client) => {
    await client.query('SET synchronous_commit = off')
    const address = (kind: string, number: string) =>
      `CASE WHEN '${kind}' = 'token' AND ${number} = 0 THEN '\\x${WRAPPED.slice(2)}'::bytea
        ELSE substr(sha256(('${kind}' || (${number}))::bytea), 1, 20) END`
    const own = `${HUBS} + n * 2 / 3`
    const first = `CASE WHEN n < 20 THEN n % ${HUBS} ELSE ${own} END`
    const second = `CASE WHEN n < 20 THEN (n + 1 + n % 3) % ${HUBS} WHEN n % 7 = 0 THEN ${HUBS} + n % 1000 ELSE n % ${HUBS} END`
    const series = `generate_series(0, ${pools - 1}) AS n`
    const now = `date_trunc('second', now())`
    await client.query(`INSERT INTO network (chain_id, name, genesis_hash, wrapped_native, start_block, start_time, head_number,
        head_hash, head_time, chain_head_number, chain_head_time, final_number, revision)
      VALUES (${CHAIN_ID}, '${NETWORK}', sha256('genesis'), '\\x${WRAPPED.slice(2)}', 1, ${now} - interval '8 days', ${HEAD},
        sha256('head'), ${now}, ${HEAD}, ${now}, ${HEAD - 10}, 1)`)
    await client.query(
      `INSERT INTO covered_range VALUES (${CHAIN_ID}, 1, ${HEAD}, ${now} - interval '8 days', ${now}, ${ROW_RULES})`,
    )
    await client.query(`INSERT INTO block VALUES (${CHAIN_ID}, ${HEAD}, sha256('head'), sha256('parent'), ${now})`)
    await client.query(`INSERT INTO token SELECT ${CHAIN_ID}, ${address('token', 'n')}, 'T' || n, 'Token ' || n, 18
      FROM generate_series(0, ${HUBS + Math.ceil((pools * 2) / 3)}) AS n`)
    await client.query(`INSERT INTO listed_symbol SELECT ${CHAIN_ID}, 'H' || n, ${address('token', 'n')}
      FROM generate_series(0, ${HUBS - 1}) AS n`)
    await client.query(`INSERT INTO pool (chain_id, address, dex, factory, token0, token1, fee, tick_spacing)
      SELECT ${CHAIN_ID}, ${address('pool', 'n')}, 'made', substr(sha256('factory'), 1, 20), ${address('token', first)},
        ${address('token', second)}, 3000, CASE WHEN n % 5 >= 3 THEN ${SPACING} END FROM ${series}`)
    const amount = `(1 + (n::numeric * 7919) % 1000) * 1e20`
    const isPair = 'n % 5 < 3'
    await client.query(`INSERT INTO pool_state (chain_id, pool, block_number, revision, reserve0, reserve1, sqrt_price_x96, tick, liquidity)
      SELECT ${CHAIN_ID}, ${address('pool', 'n')}, ${HEAD} - n, 1, CASE WHEN ${isPair} THEN ${amount} END,
        CASE WHEN ${isPair} THEN ${amount} * 2 END, CASE WHEN NOT ${isPair} THEN 79228162514264337593543950336 END,
        CASE WHEN NOT ${isPair} THEN 0 END, CASE WHEN NOT ${isPair} THEN ${ticksSql} / 2 * 1e21 END FROM ${series}`)
    await makeStablePools(client, pools)
    await client.query(`INSERT INTO pool_tick (chain_id, pool, tick, block_number, revision, gross, net)
      SELECT ${CHAIN_ID}, ${address('pool', 'n')}, side * ${SPACING} * step, ${HEAD} - n, 1, 1e21, -side * 1e21
      FROM ${series}, LATERAL generate_series(1, ${ticksSql} / 2) AS step, (VALUES (-1), (1)) AS sides (side)
      WHERE NOT (${isPair})`)
    await client.query(`INSERT INTO token_move SELECT ${CHAIN_ID}, ${HEAD} - n, 0, ${address('token', `${HUBS} + n % (1 + ${pools} / 10)`)},
        ${now} - n * interval '5 seconds', substr(sha256(('trader' || n)::bytea), 1, 20), true
      FROM generate_series(1, ${MOVES}) AS n`)
    for (let n = 0; n < 2 * dust; n++) await addDust(client, n, HEAD)
    await client.query('VACUUM ANALYZE')
    await client.query('CHECKPOINT')
  })
}

/** Turns every twentieth pool, until then a pair, into a StableSwap pool with a third token (A = 200, fee 0.04 %). */
async function makeStablePools(client: Client, pools: number): Promise<void> {
  const stable = `(SELECT substr(sha256(('pool' || n)::bytea), 1, 20) AS address,
      substr(sha256(('token' || (${HUBS} + n * 2 / 3 + 1))::bytea), 1, 20) AS third
    FROM generate_series(0, ${pools - 1}, 20) AS n) AS stable`
  await client.query(`UPDATE pool SET fee = 0, coins = ARRAY[token0, token1, third] FROM ${stable}
    WHERE pool.address = stable.address AND third NOT IN (token0, token1)`)
  await client.query(`UPDATE pool_state SET reserve0 = NULL, reserve1 = NULL, formula = 'curve-stable',
      formula_values = concat_ws(' ', 3, 20000, 100, 0, 1, 0, 4000000, 0, 0, reserve0, reserve1, reserve0, repeat('1000000000000000000 ', 2) || '1000000000000000000')
    FROM pool, ${stable} WHERE pool.address = stable.address AND pool_state.pool = stable.address AND cardinality(coins) = 3`)
}

/** Adds a pool with one full-range position, between the first two hubs or the second and third. */
export async function addDust(client: Client, n: number, block: number): Promise<void> {
  const pool = addressOf('dust', n)
  const [first, second] = [tokenAddress(n % 2), tokenAddress(1 + (n % 2))]
  const liquidity = 10n ** 12n + BigInt(n)
  const at = `${CHAIN_ID}, '\\x${pool.slice(2)}'`
  await client.query(`INSERT INTO pool (chain_id, address, dex, factory, token0, token1, fee, tick_spacing)
    VALUES (${at}, 'made', substr(sha256('factory'), 1, 20), '\\x${first.slice(2)}', '\\x${second.slice(2)}', ${100 + (n % 50)}, 1)`)
  await client.query(`INSERT INTO pool_state (chain_id, pool, block_number, revision, sqrt_price_x96, tick, liquidity)
    SELECT ${at}, ${block}, revision, 79228162514264337593543950336, 0, ${liquidity} FROM network WHERE chain_id = ${CHAIN_ID}`)
  await client.query(`INSERT INTO pool_tick (chain_id, pool, tick, block_number, revision, gross, net)
    SELECT ${at}, side * 887272, ${block}, revision, ${liquidity}, -side * ${liquidity}
    FROM network, (VALUES (-1), (1)) AS sides (side) WHERE chain_id = ${CHAIN_ID}`)
}

const ticksSql = `(ARRAY[${TICKS.join(', ')}])[1 + (n / 5 * 2 + n % 5 - 3) % ${TICKS.length}]`

function addressOf(kind: string, number: number): Address {
  return `0x${createHash('sha256').update(`${kind}${number}`).digest('hex').slice(0, 40)}`
}
