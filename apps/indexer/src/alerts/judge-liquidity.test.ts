import type { BlockHeader, Pool, PoolAddress, PoolState, PricedMove } from '@dexfeed/dex'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAlerts } from './alert-rules.ts'
import { newPools, removedLiquidity } from './judge-liquidity.ts'
import { RuleIndex } from './rule-index.ts'

const POOL: Pool['address'] = `0x${'ab'.repeat(20)}`
const MANAGED: PoolAddress = `0x${'cd'.repeat(52)}`
const block = (number: number): BlockHeader => ({
  number,
  hash: `0x${String(number).padStart(64, '0')}`,
  parentHash: `0x${'0'.repeat(64)}`,
  timestamp: 100_000 + number,
})

function indexOf(...rules: object[]): RuleIndex {
  const given = rules.map((rule, n) => ({ name: `rule-${n}`, network: 'eth', ...rule }))
  const { config, problems } = parseAlerts(JSON.stringify({ rules: given }), new Map(), new Map())
  if (config === undefined) throw new Error(problems?.join('\n'))
  return new RuleIndex(config.rules, 'eth', POOL)
}

const removal = (percent: string, pool: PoolAddress = POOL) => ({ kind: 'liquidity_removed', pool, percent })

const moved = (amount: bigint, over: Partial<PricedMove> = {}): PricedMove => ({
  blockNumber: 1,
  timestamp: 100_001,
  transactionIndex: 0,
  logIndex: 0,
  txHash: '0x',
  account: null,
  pool: POOL,
  coins: [],
  isAdded: amount > 0n,
  range: null,
  usdE8: null,
  amounts: [amount < 0n ? -amount : amount, 1n],
  ...over,
})

const inRange = (liquidity: bigint, tickLower: number, tickUpper: number): PricedMove =>
  moved(liquidity, {
    amounts: null,
    range: { liquidity: liquidity < 0n ? -liquidity : liquidity, tickLower, tickUpper },
  })

const pair = (reserve0: bigint): PoolState => ({ kind: 'pair', reserve0, reserve1: 1n })
const curve = (liquidity: bigint, tick = 0): PoolState => ({ kind: 'concentrated', sqrtPriceX96: 1n, tick, liquidity })

/** Returns the changes in percent with which rules of these percentages fire. */
function lost(moves: readonly PricedMove[], state: PoolState | null, ...percentages: string[]): (string | null)[] {
  const states = state === null ? [] : [{ pool: moves[0]?.pool ?? POOL, blockNumber: 1, state }]
  const index = indexOf(...percentages.map((percent) => removal(percent)), removal('1', `0x${'cd'.repeat(32)}`))
  const changes = removedLiquidity(index, { blocks: [block(1), block(2)], moves, states })
  return changes.map(({ details }) => JSON.parse(details).change_percent)
}

describe('removedLiquidity', () => {
  it('compares what a block removes with what there was', () => {
    expect(lost([moved(-40n)], pair(60n), '40', '40.0001')).toEqual(['-40.0000'])
    expect(lost([moved(-30n), moved(-10n)], pair(60n), '40')).toEqual(['-40.0000'])
    expect(lost([moved(-100n)], pair(0n), '100')).toEqual(['-100.0000'])
    expect(lost([moved(40n), moved(-40n)], pair(60n), '1')).toEqual([])
    expect(lost([moved(40n)], pair(60n), '1')).toEqual([])
  })

  it('counts concentrated liquidity only at the price', () => {
    expect(lost([inRange(-40n, -10, 10)], curve(60n), '40')).toEqual(['-40.0000'])
    expect(lost([inRange(-40n, 0, 10)], curve(60n), '40')).toEqual(['-40.0000'])
    expect(lost([inRange(-40n, -10, 0)], curve(60n), '1')).toEqual([])
    const managed = { ...inRange(-1n, -10, 10), pool: MANAGED }
    expect(lost([managed], curve(9n))).toEqual(['-10.0000'])
  })

  it('says nothing of what is unknown', () => {
    expect(lost([moved(-40n)], null, '1')).toEqual([])
    expect(lost([moved(-40n, { blockNumber: 2 })], pair(60n), '1')).toEqual([])
    expect(lost([moved(-40n, { amounts: null })], pair(60n), '1')).toEqual([])
    expect(lost([moved(-40n)], { kind: 'formula', formula: 'f', values: null, freshUntil: null }, '1')).toEqual([])
  })

  it('fires exactly when the share is at least the percentage', () => {
    const amounts = fc.array(
      fc.bigInt({ min: -1_000n, max: 1_000n }).filter((amount) => amount !== 0n),
      { maxLength: 5, minLength: 1 },
    )
    fc.assert(
      fc.property(
        amounts,
        fc.bigInt({ min: 6_000n, max: 9_000n }),
        fc.integer({ min: 1, max: 100 }),
        (moves, before, percent) => {
          const after = moves.reduce((sum, amount) => sum + amount, before)
          const isExpected = Number(before - after) * 100 >= percent * Number(before)
          const changes = lost(
            moves.map((amount) => moved(amount)),
            pair(after),
            String(percent),
          )
          expect(changes).toHaveLength(isExpected ? 1 : 0)
        },
      ),
    )
  })
})

describe('newPools', () => {
  it('fires each time that the liquidity of a new pool crosses the value, however its events are committed', async () => {
    const values = fc.array(fc.record({ usd: fc.integer({ min: -5, max: 5 }), isLast: fc.boolean() }), {
      maxLength: 20,
    })
    const index = indexOf({ kind: 'new_pool', min_usd: '7' })
    await fc.assert(
      fc.asyncProperty(values, async (given) => {
        let sum = 0
        let committed = 0
        let fired = 0
        let expected = 0
        let moves: PricedMove[] = []
        for (const [n, { usd, isLast }] of given.entries()) {
          sum += usd
          const usdE8 = BigInt(Math.abs(usd)) * 10n ** 8n
          moves.push(moved(BigInt(usd), { isAdded: usd >= 0, usdE8: usd === 0 ? null : usdE8, blockNumber: n }))
          if (!isLast) continue
          const judge = newPools(index, { blocks: [...given.keys()].map(block), moves, states: [] })
          const newLiquidity = async () => new Map([[POOL, BigInt(sum) * 10n ** 8n]])
          fired += ((await judge?.({ newLiquidity })) ?? []).length
          if (committed < 7 && sum >= 7) expected++
          committed = sum
          moves = []
        }
        expect(fired).toBe(expected)
      }),
    )
  })

  it('asks nothing without a rule, or if nothing was added', () => {
    const rows = { blocks: [block(1)], states: [] }
    const index = indexOf({ kind: 'new_pool', min_usd: '7' })
    expect(newPools(indexOf(removal('1')), { ...rows, moves: [moved(1n, { usdE8: 1n })] })).toBeNull()
    expect(newPools(index, { ...rows, moves: [moved(-1n, { usdE8: 1n }), moved(1n)] })).toBeNull()
  })
})
