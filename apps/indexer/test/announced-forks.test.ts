import type { NetworkName } from '@dexfeed/dex'
import { PRECOMPILED_TOKEN } from '@dexfeed/lab'
import { queryOnce, testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, test } from 'vitest'
import { type SceneOptions, scriptedScene } from './scene/scripted-scene.ts'

// Runs the changes of announced forks (docs/internals/forks.md) through prover, reader and trades.

const BLOCKS = 150

/** Indexes a chain whose blocks are all proven, both in history and at the head. */
async function indexed(network: NetworkName, options: SceneOptions = {}) {
  const scene = await scriptedScene(network, BLOCKS, { seed: 11, proofs: 'block-receipts', ...options })
  const databaseUrl = await testDatabase()
  const indexer = await scene.index(databaseUrl)
  await indexer.caughtUp(scene.head())
  scene.mine(20)
  await indexer.caughtUp(scene.head())
  await indexer.stop()
  const [row] = await queryOnce<{ unproven: boolean }>(
    databaseUrl,
    'SELECT unproven_since IS NOT NULL OR EXISTS (SELECT FROM unknown_header) AS unproven FROM network',
  )
  expect(row).toEqual({ unproven: false })
  return databaseUrl
}

//   blocks   0 - .. old headers .. - 75 - .. Amsterdam headers, receipts have their gas .. - 170
test('a chain that forks to Amsterdam in the middle of history gives the same rows as one that does not', async () => {
  const rowsOf = async (amsterdamFrom: number) => {
    const { block, network, ...rows } = await dumpTables(await indexed('eth', { amsterdamFrom }))
    return rows
  }
  const rows = await rowsOf(BLOCKS / 2)
  expect(rows.swap?.length).toBeGreaterThan(100)
  expect(rows).toEqual(await rowsOf(BLOCKS * 2))
})

test('a token that BNB Chain’s client runs itself, with one byte of code, is traded and valued like any other', async () => {
  const databaseUrl = await indexed('bsc')
  const bytes = `'\\x${PRECOMPILED_TOKEN.slice(2)}'::bytea`
  const [token] = await queryOnce(databaseUrl, `SELECT symbol, decimals FROM token WHERE address = ${bytes}`)
  expect(token).toEqual({ symbol: 'ALPHA', decimals: 18 })
  const [swaps] = await queryOnce<{ valued: number }>(
    databaseUrl,
    `SELECT count(volume_usd)::int AS valued FROM swap WHERE ${bytes} IN (sell_token, buy_token)`,
  )
  expect(swaps?.valued).toBeGreaterThan(20)
  const [pools] = await queryOnce(
    databaseUrl,
    `SELECT count(DISTINCT pool)::int AS read FROM pool_state JOIN pool ON pool.address = pool_state.pool
     WHERE ${bytes} IN (token0, token1)`,
  )
  expect(pools).toEqual({ read: 3 })
})
