import type { BlockHeader } from '@dexfeed/dex'
import { headCommit } from '@dexfeed/store/test/head-commit'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, it } from 'vitest'
import { judgeCommit } from '../../src/alerts/judge-commit.ts'
import { RuleIndex } from '../../src/alerts/rule-index.ts'
import { openStore } from '../scene/open-store.ts'
import { configOf, hashOf, makeWorld, purchase, rowsOf, START, startWriter, WRAPPER } from './alert-world.ts'

/** Postgres considers keeping a plan from the sixth time on. */
const COMMITS = 9

it('prices for rules are planned for each commit, because a plan of an empty day would be slow on a full one', async () => {
  const { database, store } = await openStore(await testDatabase())
  const epoch = await startWriter(store)
  const world = makeWorld(1)
  const [pool] = world.pools
  const [token] = world.tokens
  if (pool === undefined) throw new Error('the world is empty')
  const rules = [
    { name: 'token', kind: 'price', token, above: '5' },
    { name: 'pool', kind: 'price', token, pool: pool.address, above: '5' },
  ]
  const index = new RuleIndex(configOf(rules).rules, 'eth', WRAPPER)
  for (let number = 1; number <= COMMITS; number++) {
    const head: BlockHeader = {
      number,
      hash: hashOf(number, 0),
      parentHash: hashOf(number - 1, 0),
      timestamp: START + number,
    }
    const trades = [purchase(pool, number, head, 0)]
    const judge = judgeCommit(index, { blocks: [head], trades, moves: [], states: [], head, rollback: null })
    await store.commitHead({ ...headCommit(epoch, [head], { ...rowsOf(world), trades }), judge })
  }
  let kept = 0
  let made = 0
  const connections = await Promise.all(Array.from({ length: database.pool.totalCount }, () => database.pool.connect()))
  for (const connection of connections) {
    const { rows } = await connection.query<{ kept: number; made: number }>(
      `SELECT generic_plans::int AS kept, custom_plans::int AS made FROM pg_prepared_statements
       WHERE statement LIKE 'SELECT%AS requested%candle%' OR statement LIKE 'SELECT%AS requested%token_volume%'`,
    )
    for (const plans of rows) {
      kept += plans.kept
      made += plans.made
    }
    connection.release()
  }
  expect(kept).toBe(0)
  // Of the token's last minute, and of its price and the pool's.
  expect(made).toBeGreaterThanOrEqual(3 * COMMITS)
})
