import { queryOnce } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { judgeCommit } from '../../src/alerts/judge-commit.ts'
import { RuleIndex } from '../../src/alerts/rule-index.ts'
import { scriptedScene } from '../scene/scripted-scene.ts'
import { configOf } from './alert-world.ts'

interface Row {
  status: 'fired' | 'cleared' | 'retracted'
  rule: string
  id: string
  details: string
}

//   A - B - C          followed with rules
//    \
//     B'- C'- D'       the chain's branch: what B and C fired is retracted
test('what the follower indexes fires the rules, and a reorg retracts what is gone', async () => {
  const scene = await scriptedScene('eth', 66)
  const databaseUrl = await scene.indexed()
  const traded = await queryOnce<{ token: string }>(
    databaseUrl,
    `SELECT DISTINCT '0x' || encode(buy_token, 'hex') AS token FROM swap`,
  )
  const rules = traded.map(({ token }, n) => ({ name: `price-${n}`, kind: 'price', token, above: '0.000000000001' }))
  const large = { name: 'trades', kind: 'trade', min_usd: '0.00000001' }
  const { rules: read } = configOf([...rules, large], [{ name: 'hook', url: 'https://a.example' } as { name: string }])
  const index = new RuleIndex(read, 'eth', scene.deployment.wrappedNative)
  const alerts = { judge: (rows: Parameters<typeof judgeCommit>[1]) => judgeCommit(index, rows), wake: () => undefined }
  const before = scene.head().number
  const indexer = await scene.index(databaseUrl, { alerts })
  scene.mine(6)
  await indexer.caughtUp(scene.head())
  scene.reorg(4, 6)
  await indexer.caughtUp(scene.head())
  await indexer.stop()
  const rows = await queryOnce<Row>(databaseUrl, 'SELECT status, rule, id::text, details FROM alert ORDER BY number')
  const valued = await queryOnce<{ trades: number }>(
    databaseUrl,
    `SELECT count(*)::int AS trades FROM swap WHERE block_number > ${before} AND volume_usd > 0`,
  )
  const retracted = new Set(rows.filter(({ status }) => status === 'retracted').map(({ id }) => id))
  const remaining = rows.filter(({ status, id }) => status === 'fired' && !retracted.has(id))
  expect(remaining.filter(({ rule }) => rule === 'trades')).toHaveLength(valued[0]?.trades ?? 0)
  expect(valued[0]?.trades).toBeGreaterThan(0)
  expect(retracted.size).toBeGreaterThan(0)
  expect(remaining.some(({ rule }) => rule.startsWith('price-'))).toBe(true)
  const gone = rows
    .filter(({ status }) => status === 'retracted')
    .map(({ details }) => Number(JSON.parse(details).block_number))
  expect(Math.min(...gone)).toBeGreaterThan(before + 2)
})
