import type { BlockHeader, PricedTrade } from '@dexfeed/dex'
import { openIndexerStore, openReader } from '@dexfeed/store'
import { headCommit } from '@dexfeed/store/test/head-commit'
import { testDatabase } from '@dexfeed/test-setup'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { type JudgedRows, judgeCommit } from '../../src/alerts/judge-commit.ts'
import { RuleIndex } from '../../src/alerts/rule-index.ts'
import { openStore } from '../scene/open-store.ts'
import { configOf, hashOf, makeWorld, purchase, rowsOf, START, startWriter, WRAPPER } from './alert-world.ts'

const BLOCK_S = 50
const world = makeWorld(2)
const [A, B] = world.tokens
const [A0, A1] = world.pools.map(({ address }) => address)
const RULES = [
  { name: 'token-above', kind: 'price', token: A, above: '5' },
  { name: 'token-below', kind: 'price', token: B, below: '5' },
  { name: 'pool-above', kind: 'price', token: A, pool: A0, above: '6' },
  { name: 'pool-below', kind: 'price', token: A, pool: A1, below: '3' },
  { name: 'token-rises', kind: 'change', token: B, window: '5m', percent: '50' },
  { name: 'pool-falls', kind: 'change', token: A, pool: A0, window: '5m', percent: '-20' },
  { name: 'any-trade', kind: 'trade', min_usd: '9' },
  { name: 'token-trade', kind: 'trade', token: B, min_usd: '7' },
  { name: 'pool-trade', kind: 'trade', pool: A1, min_usd: '8' },
] as const
type Rule = (typeof RULES)[number]

interface Step {
  /** How many blocks a reorg removes first. */
  depth: number
  /** The purchases of each new block: a pool and a price in dollars. */
  blocks: readonly (readonly { pool: number; usd: number }[])[]
  restarts: boolean
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    depth: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) }),
    blocks: fc.array(
      fc.array(fc.record({ pool: fc.nat({ max: 3 }), usd: fc.integer({ min: 1, max: 10 }) }), { maxLength: 3 }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    restarts: fc.boolean(),
  }),
  { minLength: 8, maxLength: 16 },
)

interface Sent {
  rule: string
  status: 'fired' | 'retracted'
  block_hash: string
}

/** Computes all again from the chain of blocks, without any of the code under test except the prices of tokens. */
class PlainAlerts {
  chain: { block: BlockHeader; trades: readonly PricedTrade[] }[] = []
  changes: { rule: string; isTrue: boolean; block: BlockHeader }[] = []
  readonly sent: Sent[] = []
  readonly undone: { rule: string; block: BlockHeader }[] = []

  rollBack(ancestor: number): void {
    this.undone.push(...this.changes.filter(({ block }) => block.number > ancestor))
    for (const { rule, isTrue, block } of this.changes) {
      if (isTrue && block.number > ancestor) this.sent.push({ rule, status: 'retracted', block_hash: block.hash })
    }
    this.changes = this.changes.filter(({ block }) => block.number <= ancestor)
    this.chain = this.chain.filter(({ block }) => block.number <= ancestor)
  }

  /**
   * @param removed the blocks that a reorg removed before, all above `ancestor`
   * @param token returns the price of a token, some seconds before the head
   */
  async judge(
    blocks: readonly { block: BlockHeader; trades: readonly PricedTrade[] }[],
    removed: readonly { trades: readonly PricedTrade[] }[],
    ancestor: number,
    token: (address: string, age: number) => Promise<number | null>,
  ): Promise<void> {
    this.chain.push(...blocks)
    const head = blocks.at(-1)?.block
    if (head === undefined) return
    const moved = [...blocks, ...removed].flatMap(({ trades }) => trades)
    for (const rule of RULES) {
      if (rule.kind === 'trade') {
        for (const { block, trades } of blocks) {
          for (const trade of trades) if (isLarge(rule, trade)) this.#fire(rule.name, true, block)
        }
        continue
      }
      const pool = 'pool' in rule ? rule.pool : null
      const isOf = ({ hops: [hop] }: PricedTrade) =>
        hop?.tokenOut === rule.token && (pool === null || hop?.pool.address === pool)
      // A price is compared whenever it may have changed, a window when its token trades or what it fired is undone.
      const isUndone = this.undone.some((change) => change.rule === rule.name && change.block.number > ancestor)
      if (rule.kind === 'change' && !moved.some(isOf) && !isUndone) continue
      const priceAt = (age: number) => (pool === null ? token(rule.token ?? '', age) : this.#poolPrice(isOf, head, age))
      const now = await priceAt(0)
      if (now === null) continue
      let isTrue: boolean
      if (rule.kind === 'price') isTrue = 'above' in rule ? now > Number(rule.above) : now < Number(rule.below)
      else {
        const before = await priceAt(300)
        if (before === null) continue
        isTrue = Number(rule.percent) > 0 ? 100 * now >= 150 * before : 100 * now <= 80 * before
      }
      const was = this.changes.findLast((change) => change.rule === rule.name)?.isTrue ?? false
      if (was !== isTrue) this.#fire(rule.name, isTrue, head)
    }
  }

  #fire(rule: string, isTrue: boolean, block: BlockHeader): void {
    this.changes.push({ rule, isTrue, block })
    if (isTrue) this.sent.push({ rule, status: 'fired', block_hash: block.hash })
  }

  #poolPrice(isOf: (trade: PricedTrade) => boolean, head: BlockHeader, age: number): number | null {
    const end = Math.floor((head.timestamp - age) / 60 + 1) * 60
    const trades = this.chain.flatMap(({ trades }) => trades)
    const last = trades.findLast((trade) => trade.timestamp < end && isOf(trade))
    return last?.usdE8 == null ? null : Number(last.usdE8 / 10n ** 8n)
  }
}

function isLarge(rule: Extract<Rule, { kind: 'trade' }>, { usdE8, hops: [hop] }: PricedTrade): boolean {
  if (usdE8 === null || usdE8 < BigInt(rule.min_usd) * 10n ** 8n) return false
  if ('token' in rule) return hop?.tokenOut === rule.token
  return 'pool' in rule ? hop?.pool.address === rule.pool : true
}

const makeIndex = () =>
  new RuleIndex(
    configOf(RULES, [{ name: 'hook', url: 'https://hook.example' } as { name: string }]).rules,
    'eth',
    WRAPPER,
  )

it('fires once a crossing, and retracts what a reorg removes', { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(steps, async (taken) => {
    const { database, store: opened } = await openStore(await testDatabase())
    const reader = openReader(database)
    let store = opened
    let index = makeIndex()
    const epoch = await startWriter(store)
    const plain = new PlainAlerts()
    let branch = 0
    for (const { depth, blocks, restarts } of taken) {
      if (restarts) {
        store = openIndexerStore(database, 'eth')
        index = makeIndex()
      }
      const height = plain.chain.length
      const ancestor = Math.max(height - depth, Math.min(height, 1))
      const rollbackTo = ancestor < height ? ancestor : null
      const removed = plain.chain.filter(({ block }) => block.number > ancestor)
      if (rollbackTo !== null) {
        branch++
        plain.rollBack(ancestor)
      }
      const added: typeof plain.chain = []
      for (const purchases of blocks) {
        const parent = added.at(-1)?.block ?? plain.chain.at(-1)?.block
        const number = (parent?.number ?? 0) + 1
        const hash = hashOf(number, branch)
        const block = { number, hash, parentHash: parent?.hash ?? hashOf(0, 0), timestamp: START + number * BLOCK_S }
        const trades = purchases.map(({ pool, usd }, n) => {
          const of = world.pools[pool]
          if (of === undefined) throw new Error('there is no such pool')
          return purchase(of, usd, block, n)
        })
        added.push({ block, trades })
      }
      const gone = world.pools.filter(({ address }) =>
        removed.some(({ trades }) => trades.some(({ hops }) => hops[0]?.pool.address === address)),
      )
      const rows: JudgedRows = {
        blocks: added.map(({ block }) => block),
        trades: added.flatMap(({ trades }) => trades),
        moves: [],
        states: [],
        head: added.at(-1)?.block ?? null,
        rollback: rollbackTo === null ? null : { to: ancestor, removed: gone },
      }
      await store.commitHead({
        ...headCommit(epoch, rows.blocks, { ...rowsOf(world), trades: rows.trades }, { rollbackTo }),
        judge: judgeCommit(index, rows),
      })
      const end = Math.floor((rows.head?.timestamp ?? 0) / 60 + 1) * 60
      await plain.judge(added, removed, rollbackTo ?? Number.POSITIVE_INFINITY, async (address, age) => {
        const prices = await reader.pastPrices('eth', [address as `0x${string}`], end - age)
        const price = [...prices.values()][0]?.priceUsd ?? null
        return price === null ? null : Number(price)
      })
    }
    const found = await store.waitingAlerts('hook', 10_000)
    const sent = found.map(({ status, details }) => {
      const { rule, block_hash } = JSON.parse(details)
      return { rule, status, block_hash } satisfies Sent
    })
    expect(sorted(sent)).toEqual(sorted(plain.sent))
    const fired = found.filter(({ status }) => status === 'fired').map(({ id }) => id)
    expect(new Set(fired).size).toBe(fired.length)
    expect(found.filter(({ status, id }) => status === 'retracted' && !fired.includes(id))).toEqual([])
    expect(found.map(({ number }) => number)).toEqual([...found.map(({ number }) => number)].sort((a, b) => a - b))
  })
  await fc.assert(property, { numRuns: 8 * inject('scale'), endOnFailure: true })
})

const sorted = (sent: readonly Sent[]) => sent.map((each) => Object.values(each).join(' ')).sort()
