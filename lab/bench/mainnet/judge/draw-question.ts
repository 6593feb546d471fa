import type { MadeWorld } from '../made/world/made-world.ts'
import { mix } from '../made/world/mix.ts'
import type { MadePool } from '../made/world/pool.ts'
import type { QuoteQuestion } from './quote-judge.ts'

/** Pools that half of all questions are for. */
const MOST_TRADED = 200
/** Of 10 questions for other pools, those for pools that were made since the first head. */
const YOUNG = 2

/**
 * The question of a place in their row: half are for the most traded pools, a quarter for any other, a quarter for two
 * tokens of different pools. The price of one token is from a thousandth of a cent to 600 dollars.
 */
export function drawQuestion(world: MadeWorld, head: number, place: number): QuoteQuestion {
  const { seed, confirmed } = world.market
  let draws = 0
  const draw = (bound: number) => mix(seed, 53, place, draws++) % bound
  const top = Math.min(MOST_TRADED, confirmed.length)
  const young = world.later.until(head)
  const anyOther = (): MadePool => {
    const found = young.length > 0 && draw(10) < YOUNG ? young[draw(young.length)]?.pool : undefined
    return found ?? poolAt(confirmed, top === confirmed.length ? draw(top) : top + draw(confirmed.length - top))
  }
  const isForward = draw(2) === 0
  if (place % 4 === 3) {
    const [sell, buy] = [anyOther(), anyOther()].map((pool) => (draw(4) === 0 ? pool.token0 : strangerOf(world, pool)))
    if (sell !== undefined && buy !== undefined && sell !== buy) return { sell, buy }
  }
  const { token0, token1 } = place % 4 === 2 ? anyOther() : poolAt(confirmed, draw(top))
  return isForward ? { sell: token0, buy: token1 } : { sell: token1, buy: token0 }
}

/** Returns the token that is not an anchor, if there is one. */
function strangerOf({ market: { wrappedNative, stablecoins } }: MadeWorld, { token0, token1 }: MadePool) {
  return token0 === wrappedNative || stablecoins.includes(token0) ? token1 : token0
}

function poolAt(pools: readonly MadePool[], index: number): MadePool {
  const pool = pools[index]
  if (pool === undefined) throw new Error(`no pool has the index ${index}`)
  return pool
}
