import { larger } from '../../maths/integers.ts'
import { present } from '../../present.ts'
import type { PoolSide } from '../pool-maths/pool-side.ts'
import type { QuoteWork } from '../quote-work.ts'
import { amountAlong } from './find-route.ts'

/** Inputs are divided into this many steps. */
export const STEPS = 16

interface SetOfRoutes {
  members: readonly number[]
  /** The output, minus what additional members must gain. */
  value: number
}

/**
 * Returns up to `count` sets of routes with the greatest outputs, in descending order. Uses floating point and coarse
 * steps, only to choose the sets that are then shared out exactly.
 *
 * @param outputs by route and input steps; -Infinity if the route does not accept the input
 */
export function promisingSets(
  outputs: readonly (readonly number[])[],
  conflicts: (route: number, other: number) => boolean,
  { maxMembers, count, minGain }: { maxMembers: number; count: number; minGain: number },
): SetOfRoutes[] {
  const best: SetOfRoutes[] = []
  const keep = (members: readonly number[], output: number) => {
    const value = output * (1 - minGain * (members.length - 1))
    const last = best[count - 1]
    if (members.length < 2 || !(value > (last === undefined ? 0 : last.value))) return
    const index = best.findIndex((other) => value > other.value)
    best.splice(index < 0 ? best.length : index, 0, { members, value })
    best.length = Math.min(best.length, count)
  }
  const extend = (members: readonly number[], sums: readonly number[], from: number) => {
    for (let route = from; route < outputs.length; route++) {
      if (members.some((member) => conflicts(member, route))) continue
      const next = members.length === 0 ? present(outputs[route]) : together(sums, present(outputs[route]))
      const extended = [...members, route]
      keep(extended, present(next[STEPS]))
      if (extended.length < maxMembers) extend(extended, next, route + 1)
    }
  }
  extend([], [], 0)
  return best
}

function together(each: readonly number[], other: readonly number[]): number[] {
  const sums = new Array<number>(STEPS + 1).fill(Number.NEGATIVE_INFINITY)
  for (let a = 0; a <= STEPS; a++) {
    for (let b = 0; a + b <= STEPS; b++) {
      const sum = (each[a] as number) + (other[b] as number)
      if (sum > (sums[a + b] as number)) sums[a + b] = sum
    }
  }
  return sums
}

export class RouteCurve {
  readonly sides: readonly PoolSide[]
  readonly #work: QuoteWork
  readonly #outputs = new Map<bigint, bigint | null>([[0n, 0n]])

  constructor(sides: readonly PoolSide[], work: QuoteWork) {
    this.sides = sides
    this.#work = work
  }

  outputFor(amountIn: bigint): bigint | null {
    const cached = this.#outputs.get(amountIn)
    if (cached !== undefined) return cached
    const amountOut = amountAlong(this.sides, amountIn, this.#work)
    this.#outputs.set(amountIn, amountOut)
    return amountOut
  }

  paidFor(amountIn: bigint): bigint {
    return this.outputFor(amountIn) ?? 0n
  }
}

export function stepOf(total: bigint, step: number): bigint {
  return step === STEPS ? total : (total / BigInt(STEPS)) * BigInt(step)
}

const FINER = 4n
/** The last piece is 1/2^16 of the total. What could still be gained is the square of that. */
const LAST_BITS = 16n
const MAX_MOVES = 8

/**
 * Splits `total` among routes so that they pay the most together. Returns null if they do not accept all of it. Assigns
 * each piece to the route that pays most for it, then moves ever smaller pieces.
 *
 * @param start the shares of a similar total
 */
export function shareOut(
  curves: readonly RouteCurve[],
  total: bigint,
  start: readonly bigint[] | null = null,
): bigint[] | null {
  const shares = start === null ? curves.map(() => 0n) : [...start]
  let rest = total - shares.reduce((sum, share) => sum + share, 0n)
  let piece = larger(stepOf(total, 1), 1n)
  while (rest > 0n) {
    const size = rest < piece ? rest : piece
    const to = bestGain(curves, shares, size)
    if (to === null) return null
    shares[to.index] = present(shares[to.index]) + size
    rest -= size
  }
  const last = larger(total >> LAST_BITS, 1n)
  while (piece > last) {
    piece = larger(piece / FINER, last)
    for (let moves = 0; moves < MAX_MOVES && move(curves, shares, piece); moves++);
  }
  return shares
}

interface Change {
  index: number
  amount: bigint
}

function move(curves: readonly RouteCurve[], shares: bigint[], piece: bigint): boolean {
  const to = bestGain(curves, shares, piece)
  const from = smallestLoss(curves, shares, piece)
  if (to === null || from === null || to.index === from.index || to.amount <= from.amount) return false
  shares[to.index] = present(shares[to.index]) + piece
  shares[from.index] = present(shares[from.index]) - piece
  return true
}

function bestGain(curves: readonly RouteCurve[], shares: readonly bigint[], piece: bigint): Change | null {
  let best: Change | null = null
  curves.forEach((curve, index) => {
    const share = present(shares[index])
    const more = curve.outputFor(share + piece)
    if (more === null) return
    const amount = more - curve.paidFor(share)
    if (best === null || amount > best.amount) best = { index, amount }
  })
  return best
}

function smallestLoss(curves: readonly RouteCurve[], shares: readonly bigint[], piece: bigint): Change | null {
  let min: Change | null = null
  curves.forEach((curve, index) => {
    const share = present(shares[index])
    if (share < piece) return
    const amount = curve.paidFor(share) - curve.paidFor(share - piece)
    if (min === null || amount < min.amount) min = { index, amount }
  })
  return min
}
