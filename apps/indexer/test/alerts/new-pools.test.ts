import type { BlockHeader, PricedMove } from '@dexfeed/dex'
import { headCommit } from '@dexfeed/store/test/head-commit'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, it } from 'vitest'
import { judgeCommit } from '../../src/alerts/judge-commit.ts'
import { RuleIndex } from '../../src/alerts/rule-index.ts'
import { openStore } from '../scene/open-store.ts'
import { configOf, hashOf, makeWorld, rowsOf, START, startWriter, WRAPPER } from './alert-world.ts'

const DAY_S = 86_400
const world = makeWorld(2)
const [young, old] = world.pools

it('a pool fires once its liquidity is worth enough in its first day, and again on another branch', async () => {
  if (young === undefined || old === undefined) throw new Error('the world is empty')
  const { store } = await openStore(await testDatabase())
  const epoch = await startWriter(store)
  const rule = { name: 'new', kind: 'new_pool', min_usd: '100' }
  const index = new RuleIndex(
    configOf([rule], [{ name: 'hook', url: 'https://a.example' } as { name: string }]).rules,
    'eth',
    WRAPPER,
  )
  const block = (number: number, branch: number, timestamp: number): BlockHeader => ({
    number,
    hash: hashOf(number, branch),
    timestamp,
    parentHash: hashOf(number - 1, number === branch ? 0 : branch),
  })
  const commit = async (
    at: BlockHeader,
    usd: number,
    created: readonly (typeof young)[],
    rollbackTo: number | null = null,
  ) => {
    const place = { blockNumber: at.number, timestamp: at.timestamp, transactionIndex: 0, txHash: at.hash } as const
    const moves = (usd === 50 ? [old] : [young, old]).map(
      ({ address: pool }, logIndex): PricedMove => ({
        ...place,
        logIndex,
        account: null,
        pool,
        coins: [],
        isAdded: usd > 0,
        amounts: null,
        range: null,
        usdE8: BigInt(Math.abs(usd)) * 10n ** 8n,
      }),
    )
    const creations = created.map(({ address: pool }) => ({ ...place, pool, creator: null }))
    const rows = {
      blocks: [at],
      trades: [],
      moves,
      states: [],
      head: at,
      rollback: rollbackTo === null ? null : { to: rollbackTo, removed: [] },
    }
    await store.commitHead({
      ...headCommit(epoch, [at], rowsOf(world), { rollbackTo }),
      moves,
      creations,
      judge: judgeCommit(index, rows),
    })
  }
  await commit(block(1, 0, START), 50, [old])
  await commit(block(2, 0, START + DAY_S), 60, [young])
  expect(await store.waitingAlerts('hook', 10)).toEqual([])
  await commit(block(3, 0, START + DAY_S + 1), 40, [])
  await commit(block(4, 0, START + DAY_S + 2), 40, [])
  await commit(block(3, 3, START + DAY_S + 1), 39, [], 2)
  await commit(block(4, 3, START + DAY_S + 2), 1, [])
  const sent = (await store.waitingAlerts('hook', 10)).map(({ status, details }) => ({
    status,
    ...JSON.parse(details),
  }))
  expect(sent).toMatchObject([
    { status: 'fired', pool: young.address, liquidity_usd: '100.00000000', block_hash: hashOf(3, 0) },
    { status: 'retracted', pool: young.address, block_hash: hashOf(3, 0) },
    { status: 'fired', pool: young.address, liquidity_usd: '100.00000000', block_hash: hashOf(4, 3) },
  ])
})
