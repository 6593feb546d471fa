import {
  type BlockHeader,
  DAY_S,
  type PoolAddress,
  type PoolState,
  type PoolStateAt,
  type PricedMove,
  usdText,
} from '@dexfeed/dex'
import type { AlertChange, AlertReads } from '@dexfeed/store'
import { alertChange } from './alert-change.ts'
import { changeText, hasMoved } from './alert-rules.ts'
import { ANY, namesOf, type RuleIndex } from './rule-index.ts'

/** A pool is new for this long. */
const NEW_S = DAY_S

interface LiquidityRows {
  blocks: readonly BlockHeader[]
  moves: readonly PricedMove[]
  /** States after the blocks that changed them. */
  states: readonly PoolStateAt[]
}

/** Returns alerts of pools that lost more of their liquidity in a block than a rule allows. */
export function removedLiquidity(index: RuleIndex, { blocks, moves, states }: LiquidityRows): AlertChange[] {
  const watched = moves.filter(({ pool }) => rulesOf(index, pool).length > 0)
  return blocks.flatMap((block) => {
    const inBlock = watched.filter(({ blockNumber }) => blockNumber === block.number)
    return [...new Set(inBlock.map(({ pool }) => pool))].flatMap((pool) => {
      const after = states.find((each) => each.pool === pool && each.blockNumber === block.number)
      const ofPool = inBlock.filter((move) => move.pool === pool)
      const removed = after === undefined ? null : removedFrom(after.state, ofPool)
      if (removed === null || removed.before <= 0n || removed.after < 0n) return []
      const { before, after: left } = removed
      const lost = rulesOf(index, pool).filter(({ percent }) => hasMoved(-percent, before, left))
      const facts = { change_percent: changeText(before, left), pool }
      return lost.map((rule) => alertChange({ rule, status: 'fired', block, facts, within: pool }))
    })
  })
}

function rulesOf(index: RuleIndex, pool: PoolAddress) {
  return namesOf(pool).flatMap((name) => index.watching(name).filter((rule) => rule.kind === 'liquidity_removed'))
}

/**
 * Returns the liquidity before and after the moves of a block: the first token of a pair, or the liquidity at the price.
 * What swaps change counts as if it came before. Null for other kinds of pools.
 */
function removedFrom(state: PoolState, moves: readonly PricedMove[]): { before: bigint; after: bigint } | null {
  const added = (sizeOf: (move: PricedMove) => bigint) =>
    moves.reduce((sum, move) => sum + (move.isAdded ? sizeOf(move) : -sizeOf(move)), 0n)
  if (state.kind === 'pair') {
    // A move of unknown size would count as none.
    if (moves.some(({ amounts }) => amounts === null)) return null
    const after = state.reserve0
    return { before: after - added(({ amounts }) => amounts?.[0] ?? 0n), after }
  }
  if (state.kind !== 'concentrated') return null
  const { tick, liquidity: after } = state
  const inRange = added(({ range }) =>
    range !== null && range.tickLower <= tick && tick < range.tickUpper ? range.liquidity : 0n,
  )
  return { before: after - inRange, after }
}

/** Returns what judges the pools that got liquidity; null if no rule watches new pools. */
export function newPools(
  index: RuleIndex,
  { blocks, moves }: LiquidityRows,
): ((reads: Pick<AlertReads, 'newLiquidity'>) => Promise<AlertChange[]>) | null {
  const rules = index.watching(ANY).filter((rule) => rule.kind === 'new_pool')
  const added = new Map<PoolAddress, bigint>()
  for (const { pool, isAdded, usdE8 } of moves) {
    // Without a known value, a move adds none to the stored sum either.
    const value = usdE8 ?? 0n
    added.set(pool, (added.get(pool) ?? 0n) + (isAdded ? value : -value))
  }
  const grown = [...added].flatMap(([pool, value]) => (value > 0n ? [pool] : []))
  const last = blocks.at(-1)
  if (rules.length === 0 || grown.length === 0 || last === undefined) return null
  return async ({ newLiquidity }) => {
    const now = await newLiquidity(grown, last.timestamp - NEW_S)
    return [...now].flatMap(([pool, usdE8]) => {
      const before = usdE8 - (added.get(pool) ?? 0n)
      const block = blocks.findLast(({ number }) =>
        moves.some((move) => move.pool === pool && move.blockNumber === number),
      )
      const crossed = rules.filter(({ min_usd }) => before < min_usd && min_usd <= usdE8)
      const facts = { liquidity_usd: usdText(usdE8), pool }
      return crossed.map((rule) => alertChange({ rule, status: 'fired', block: block ?? last, facts, within: pool }))
    })
  }
}
