import { setTimeout as delay } from 'node:timers/promises'
import { NETWORKS } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { withClient } from '../bench-database.ts'
import { addDust, HEAD, NETWORK } from './fill-market.ts'

/** Blocks to write. Every third replaces the last two. */
const ROUNDS = 15
const GAP_MS = 300
const CHANGED = 300

const { chainId: CHAIN_ID } = NETWORKS[NETWORK]

async function commitBlock(client: Client, head: number, change: () => Promise<unknown>): Promise<void> {
  await client.query('BEGIN')
  await client.query(
    `UPDATE network SET revision = revision + 1, head_number = $2, head_hash = sha256(('made' || revision)::bytea),
       head_time = now() WHERE chain_id = $1`,
    [CHAIN_ID, head],
  )
  await change()
  await client.query(`SELECT pg_notify('dexfeed', $1)`, [NETWORK])
  await client.query('COMMIT')
}

export async function addBlock(client: Client, head: number, n: number): Promise<void> {
  await commitBlock(client, head, () => addDust(client, n, head))
}

export async function writeChain(
  databaseUrl: string,
  pools: number,
  shutdown: Pick<Shutdown, 'signal'>,
): Promise<void> {
  await withClient(databaseUrl, shutdown, async (client) => {
    let head = HEAD
    for (let round = 1; round <= ROUNDS; round++) {
      const ancestor = round % 3 === 0 ? head - 2 : head
      await commitBlock(client, ancestor + 1, async () => {
        if (ancestor < head) await rollBack(client, ancestor)
        await changePools(client, ancestor + 1, pools)
      })
      head = ancestor + 1
      await delay(GAP_MS, undefined, { signal: shutdown.signal })
    }
  })
}

async function rollBack(client: Client, ancestor: number): Promise<void> {
  await client.query('DELETE FROM pool_state WHERE chain_id = $1 AND block_number > $2', [CHAIN_ID, ancestor])
  await client.query(
    `WITH counted AS (UPDATE network SET reorgs = reorgs + 1 WHERE chain_id = $1 RETURNING reorgs)
     INSERT INTO network_rollback SELECT $1, reorgs, $2 FROM counted`,
    [CHAIN_ID, ancestor],
  )
}

async function changePools(client: Client, block: number, pools: number): Promise<void> {
  await client.query(
    `INSERT INTO pool_state (chain_id, pool, block_number, revision, reserve0, reserve1)
     SELECT $1, substr(sha256(('pool' || n)::bytea), 1, 20), $2, revision, 1e22 + n, 2e22 + n
     FROM network, (SELECT DISTINCT (i * 7919 % ($3 / 5)) * 5 + 1 AS n FROM generate_series(1, $4) AS i) AS changed
     WHERE chain_id = $1`,
    [CHAIN_ID, block, pools, CHANGED],
  )
}
