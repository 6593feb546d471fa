import {
  type BlockHeader,
  coinsOf,
  type Pool,
  type PoolStateAt,
  type PricedMove,
  type PricedTrade,
  present,
  usdText,
} from '@dexfeed/dex'
import type { AlertChange, AlertReads, JudgeAlerts } from '@dexfeed/store'
import { type AlertFacts, alertChange, keyOf } from './alert-change.ts'
import {
  type AlertRule,
  changeText,
  hasMoved,
  type PricedRule,
  type RuleOf,
  scaledPrice,
  WINDOWS,
} from './alert-rules.ts'
import { newPools, removedLiquidity } from './judge-liquidity.ts'
import { ANY, isPriced, namesOf, type RuleIndex } from './rule-index.ts'

export interface Rollback {
  /** The last common block. */
  to: number
  /** Pools that traded in the blocks that are removed. */
  removed: readonly Pool[]
}

export interface JudgedRows {
  blocks: readonly BlockHeader[]
  trades: readonly PricedTrade[]
  moves: readonly PricedMove[]
  states: readonly PoolStateAt[]
  /** The head that is committed; null if the rows are of an older block, which changes no current price. */
  head: BlockHeader | null
  rollback: Rollback | null
}

/** Returns what judges the rows of a commit in its transaction; null if no rule watches anything that they move. */
export function judgeCommit(index: RuleIndex, rows: JudgedRows): JudgeAlerts | null {
  const fired = [...largeTrades(index, rows), ...removedLiquidity(index, rows)]
  const judgeNew = newPools(index, rows)
  const moved = movedRules(index, rows)
  const { head, rollback } = rows
  const isIdle = fired.length === 0 && judgeNew === null && rollback === null
  if (isIdle && (moved.length === 0 || head === null)) return null
  return async (reads) => {
    const grown = (await judgeNew?.(reads)) ?? []
    if (head === null) return [...fired, ...grown]
    // A step of several blocks is judged after its last one. If that block is gone, judge again, even if its earlier
    // blocks remain.
    const undone = new Set(rollback === null ? [] : await reads.undone(rollback.to))
    const again = index.rules.filter(isPriced).filter(({ name }) => undone.has(name))
    const priced = new Set([...moved, ...again])
    return [...fired, ...grown, ...(await judgePrices([...priced], head, reads))]
  }
}

/** Returns the rules on prices that the new rows, or the removed ones, may move. */
function movedRules(index: RuleIndex, { trades, rollback }: JudgedRows): PricedRule[] {
  const hops = trades.flatMap((trade) => trade.hops)
  const watched = [
    ...hops.flatMap(({ pool, tokenIn, tokenOut }) => [...namesOf(pool.address), tokenIn, tokenOut]),
    ...(rollback?.removed ?? []).flatMap((pool) => [...namesOf(pool.address), ...coinsOf(pool)]),
  ]
  return [...new Set(watched)].flatMap((each) => index.watching(each).filter(isPriced))
}

function largeTrades(index: RuleIndex, { blocks, trades }: JudgedRows): AlertChange[] {
  return trades.flatMap((trade) => {
    const { usdE8, blockNumber, txHash, position } = trade
    if (usdE8 === null) return []
    return [...rulesOf(index, trade)].flatMap((rule) => {
      if (usdE8 < rule.min_usd) return []
      const block = present(blocks.find(({ number }) => number === blockNumber))
      const facts = { volume_usd: usdText(usdE8), tx_hash: txHash }
      return [alertChange({ rule, status: 'fired', block, facts, within: `${txHash} ${position}` })]
    })
  })
}

/** Returns the rules on trades that watch the trade: its pools, or the tokens that it sells and buys. */
function rulesOf(index: RuleIndex, { sell, buy, hops }: PricedTrade): Set<RuleOf<'trade'>> {
  const pools = hops.flatMap(({ pool }) => namesOf(pool.address))
  const rules = [index.watching(ANY), ...[sell.token, buy.token, ...pools].map((each) => index.watching(each))].flat()
  const isOwn = (rule: AlertRule): rule is RuleOf<'trade'> =>
    rule.kind === 'trade' && [undefined, sell.token, buy.token].includes(rule.token)
  return new Set(rules.filter(isOwn))
}

async function judgePrices(
  rules: readonly PricedRule[],
  head: BlockHeader,
  { fired, prices }: AlertReads,
): Promise<AlertChange[]> {
  if (rules.length === 0) return []
  const isFired = await fired(rules.map(keyOf))
  const pricesAt = async (age: number, of: readonly PricedRule[]) => {
    const subjects = of.map(({ token, pool = null }) => ({ token, pool }))
    const found = await prices(subjects, head, age)
    return new Map(of.map((rule, n) => [rule, found[n] ?? null]))
  }
  const now = await pricesAt(0, rules)
  const before = new Map<PricedRule, string | null>()
  for (const [window, age] of Object.entries(WINDOWS)) {
    const ofWindow = rules.filter((rule) => rule.kind === 'change' && rule.window === window)
    for (const [rule, price] of await pricesAt(age, ofWindow)) before.set(rule, price)
  }
  return rules.flatMap((rule) => {
    const verdict = judged(rule, now.get(rule) ?? null, before.get(rule) ?? null)
    if (verdict === null || verdict.isTrue === isFired(keyOf(rule))) return []
    const { isTrue, facts } = verdict
    return [alertChange({ rule, status: isTrue ? 'fired' : 'cleared', block: head, facts })]
  })
}

/** Returns null while a price is unknown: nothing changes then. */
function judged(
  rule: PricedRule,
  price: string | null,
  before: string | null,
): { isTrue: boolean; facts: AlertFacts } | null {
  if (price === null) return null
  const now = scaledPrice(price)
  if (rule.kind === 'price') {
    const isTrue = rule.above !== undefined ? now > rule.above : now < present(rule.below)
    return { isTrue, facts: { price_usd: price } }
  }
  if (before === null) return null
  const then = scaledPrice(before)
  if (then === 0n) return null
  const facts = { price_usd: price, change_percent: changeText(then, now) }
  return { isTrue: hasMoved(rule.percent, then, now), facts }
}
