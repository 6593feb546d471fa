import { ROW_RULES } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { withClient } from '../bench-database.ts'

/** A network as the real one is: how its blocks come, and its share of the day's swaps. */
interface Shape {
  chainId: number
  name: string
  /** Of its first block of the day. */
  from: number
  blockS: number
  share: number
}

const SHAPES: readonly Shape[] = [
  { chainId: 1, name: 'eth', from: 24_000_000, blockS: 12, share: 0.04 },
  { chainId: 56, name: 'bsc', from: 70_000_000, blockS: 0.45, share: 0.87 },
  { chainId: 137, name: 'polygon', from: 80_000_000, blockS: 1.9, share: 0.09 },
]
const TOKENS = 400
const DAY_S = 86_400
/** The list's window moves on while the benchmark runs. */
const SPAN_S = DAY_S - 1_800
/** Seconds; the youngest blocks are not final. */
const FINALITY_S = 60

/**
 * Fills tables with the swaps of the last day, over the networks as on the real ones, made by the server. Networks that
 * the database has already get none.
 *
 * @param rows of all networks together
 * @param now in seconds
 */
export async function fillDay(
  databaseUrl: string,
  rows: number,
  now: number,
  shutdown: Pick<Shutdown, 'signal'>,
): Promise<void> {
  await withClient(databaseUrl, shutdown, async (client) => {
    for (const day of [now - DAY_S, now]) await makePartition(client, new Date(day * 1000).toISOString().slice(0, 10))
    const { rows: known } = await client.query<{ name: string }>('SELECT name FROM network')
    const shapes = SHAPES.filter(({ name }) => !known.some((network) => network.name === name))
    for (const shape of shapes) await fillNetwork(client, shape, Math.round(rows * shape.share), now)
    await client.query('VACUUM ANALYZE')
  })
}

/** Creates the partition of a day as the indexer leaves it once the day is filled. */
async function makePartition(client: Client, date: string): Promise<void> {
  const name = `swap_${date.replaceAll('-', '')}`
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF swap (PRIMARY KEY (chain_id, block_number, transaction_index, position))
     FOR VALUES FROM ('${date} 00:00+00') TO ('${date} 00:00+00'::timestamptz + interval '1 day')`,
  )
  await client.query(`CREATE INDEX IF NOT EXISTS ${name}_trader_idx ON ${name} (trader)`)
  await client.query(`CREATE INDEX IF NOT EXISTS ${name}_tx_idx ON ${name} (substring(tx_hash from 1 for 4))`)
}

async function fillNetwork(client: Client, { chainId, name, from, blockS }: Shape, rows: number, now: number) {
  const blocks = Math.floor(SPAN_S / blockS)
  const start = now - SPAN_S
  const timeOf = (block: string) => `to_timestamp(${start} + floor((${block}) * ${blockS}))`
  const block = `(i::bigint * ${blocks} / ${rows})`
  await client.query(
    `INSERT INTO network (chain_id, name, wrapped_native, start_block, start_time, head_number, head_hash, head_time,
       chain_head_number, chain_head_time, final_number)
     VALUES ($1, $2, ${tokenOf('0')}, $3, to_timestamp($4), $5, sha256('head'), to_timestamp($6), $5, to_timestamp($6), $7)`,
    [chainId, name, from, start, from + blocks, now, from + blocks - Math.ceil(FINALITY_S / blockS)],
  )
  await client.query(
    `INSERT INTO covered_range VALUES (${chainId}, ${from}, ${from + blocks}, to_timestamp(${start}), to_timestamp(${now}), ${ROW_RULES})`,
  )
  await client.query(
    `INSERT INTO token SELECT ${chainId}, ${tokenOf('i')}, 'TOK' || i, 'Token number ' || i, 6 + 12 * (i % 2)
     FROM generate_series(0, ${TOKENS - 1}) AS i`,
  )
  await client.query(
    `INSERT INTO swap (chain_id, block_number, transaction_index, position, block_time, tx_hash, trader,
       sell_token, sell_native, sell_amount, buy_token, buy_native, buy_amount, volume_usd, usd_source, flags)
     SELECT ${chainId}, ${from} + ${block}, i, 0, ${timeOf(block)}, sha256(int8send(i::bigint)),
       substring(sha256(int8send(i::bigint % 50000)) FROM 1 FOR 20),
       ${tokenOf(`(i::bigint * i) % ${TOKENS}`)}, i % 9 = 0, 1000000000000000000 + i::numeric * 7919,
       ${tokenOf(`((i::bigint * i) % ${TOKENS} + 1 + i % 7) % ${TOKENS}`)}, false, 2500000000 + i::numeric * 104729,
       CASE WHEN i % 20 = 0 THEN NULL ELSE ((i % 1000000) + 0.12345678)::numeric(20, 8) END,
       CASE WHEN i % 20 = 0 THEN NULL ELSE 0 END, CASE WHEN i % 33 = 0 THEN 2 ELSE 0 END
     FROM generate_series(0, ${rows - 1}) AS i`,
  )
}

/** The address of a token of the filled day, in SQL. */
export function tokenOf(index: string): string {
  return `substring(sha256(int8send((${index})::bigint)) FROM 1 FOR 20)`
}
