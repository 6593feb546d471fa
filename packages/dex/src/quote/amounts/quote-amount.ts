import { absolute } from '../../maths/integers.ts'
import { present } from '../../present.ts'
import type { QuotedMarket } from '../best-route.ts'
import type { PoolSide } from '../pool-maths/pool-side.ts'
import { QuoteWork } from '../quote-work.ts'
import { CandidateRoutes, conflict } from './candidate-routes.ts'
import {
  type AmountQuery,
  composedInput,
  type FoundRoute,
  findRoute,
  minInputAlong,
  type QuotePart,
  quotePart,
} from './find-route.ts'
import { promisingSets, RouteCurve, STEPS, shareOut, stepOf } from './share-out.ts'

/** The parts have no pool in common, so they can be executed in any order. */
export interface AmountQuote {
  amountIn: bigint
  amountOut: bigint
  parts: readonly QuotePart[]
}

/**
 * Returns the most that exactly `amount` buys (`in`), or the least input that buys at least `amount` (`out`), with pool
 * fees and price impact but without gas. Returns null if no route accepts the amount, or if it buys nothing. Several
 * routes are returned only if they beat the best single one (see splitQuote). With `out`, the contracts may pay
 * slightly more than `amount`.
 *
 * @throws QuoteOverBudget
 */
export function quoteAmount(market: QuotedMarket, query: AmountQuery, work = new QuoteWork()): AmountQuote | null {
  const { allows } = query
  const whole = findRoute(market, { ...query, allows: allows && ((side) => allows(side.pool)) }, work)
  const decided = whole === null ? query : { ...query, through: whole.through }
  const parts = query.maxSplits === 1 ? null : splitQuote(market, decided, whole, work)
  if (parts !== null) return { amountIn: sumOf(parts, 'amountIn'), amountOut: sumOf(parts, 'amountOut'), parts }
  const part = whole && quotePart(whole.sides, whole.amountIn, work)
  return part && { amountIn: part.amountIn, amountOut: part.amountOut, parts: [part] }
}

/**
 * Each additional part must gain 1/5,000 (0.02 %). For a trade of a thousand dollars, that is about its gas: 100,000
 * units at 1 gwei, with the coin at 2,000 dollars.
 */
const MIN_GAIN = 5_000n

interface Share {
  curve: RouteCurve
  amountIn: bigint
  amountOut: bigint
}

/** Limit on the totals to try until one buys the amount with an error of at most 1/1,000. */
const MAX_TOTALS = 6
const NEAR_TOTAL = 1_000n
/** Routes with at most this fraction of the amount are searched again. */
const SMALL = 8n
const NOTHING = { amountIn: 0n, amountOut: 0n }
const MAX_SETS = 3

/**
 * Returns the parts of a quote over several routes without common pools, if they beat the best single route; otherwise
 * null. The result is the best of some candidates, not of all routes (docs/internals/quotes.md).
 *
 * @param whole the best single route, or null if none accepts the whole amount
 * @throws QuoteOverBudget
 */
function splitQuote(
  market: QuotedMarket,
  query: AmountQuery,
  whole: FoundRoute | null,
  work: QuoteWork,
): readonly QuotePart[] | null {
  const parts = new Split(market, query, whole, work).parts()
  if (parts === null) return null
  const single = whole && quotePart(whole.sides, whole.amountIn, work)
  return isBetter(query, parts, single && [single]) ? parts : null
}

class Split {
  readonly #query: AmountQuery
  readonly #whole: FoundRoute | null
  readonly #work: QuoteWork
  readonly #candidates: CandidateRoutes
  readonly #curves = new Map<readonly PoolSide[], RouteCurve>()
  #best: readonly Share[] | null = null
  /** The total input at the rate of a small part; 0 if unknown. */
  #inputAtSmallRate = 0n

  constructor(market: QuotedMarket, query: AmountQuery, whole: FoundRoute | null, work: QuoteWork) {
    this.#query = query
    this.#whole = whole
    this.#work = work
    this.#candidates = new CandidateRoutes(market, query, work)
  }

  parts(): readonly QuotePart[] | null {
    const { side, amount } = this.#query
    if (this.#whole !== null) this.#candidates.add(this.#whole.sides)
    if (!this.#mayGain()) return null
    this.#candidates.fill()
    for (const curves of this.#promising()) this.#tryAll(curves)
    if (this.#best !== null) this.#improve(this.#best)
    const best: readonly Share[] | null = this.#best
    if (best === null || best.length < 2) return null
    return side === 'in' ? exactIn(best, this.#work) : exactOut(best, amount, this.#work)
  }

  #promising(): RouteCurve[][] {
    const { routes } = this.#candidates
    const total = this.#total(routes)
    if (total === null || routes.length < 2) return []
    const outputs = routes.map((route) => {
      const curve = this.#curveOf(route)
      return Array.from({ length: STEPS + 1 }, (_, step) => {
        return Number(curve.outputFor(stepOf(total, step)) ?? Number.NEGATIVE_INFINITY)
      })
    })
    const conflicts = routes.map((route) => routes.map((other) => conflict(route, other)))
    const options = { maxMembers: this.#query.maxSplits, count: MAX_SETS, minGain: 1 / Number(MIN_GAIN) }
    const sets = promisingSets(outputs, (route, other) => conflicts[route]?.[other] ?? true, options)
    return sets.map(({ members }) => members.map((member) => this.#curveOf(routes[member] ?? [])))
  }

  #total(routes: readonly (readonly PoolSide[])[]): bigint | null {
    const { side, amount } = this.#query
    if (side === 'in') return amount
    const whole = this.#whole?.amountIn ?? equalParts(routes, amount, this.#work)
    // A single route may need many times more if the amount nearly exhausts it.
    const max = this.#inputAtSmallRate * 2n
    return whole !== null && max > 0n && max < whole ? max : whole
  }

  #mayGain(): boolean {
    const { side, amount } = this.#query
    const small = amount / BigInt(STEPS)
    if (small === 0n) return false
    const found = this.#candidates.find(small, [])
    if (this.#whole === null || found === null) return found !== null
    this.#inputAtSmallRate = found.amountIn * BigInt(STEPS)
    const scaled = { amountIn: found.amountIn * BigInt(STEPS), amountOut: 0n }
    const single = { amountIn: this.#whole.amountIn, amountOut: 0n }
    if (side === 'in') {
      scaled.amountOut = this.#curveOf(found.sides).paidFor(found.amountIn) * BigInt(STEPS)
      single.amountOut = this.#curveOf(this.#whole.sides).paidFor(amount)
    }
    return isBetter(this.#query, [scaled, NOTHING], [single])
  }

  #tryAll(curves: readonly RouteCurve[]): void {
    if (curves.length < 2) return
    const shares = this.#shares(curves)
    if (shares === null) return
    const paying = shares.filter(({ amountOut }) => amountOut > 0n)
    if (paying.length < shares.length) this.#tryAll(paying.map(({ curve }) => curve))
    else if (isBetter(this.#query, shares, this.#best)) this.#best = shares
  }

  #shares(curves: readonly RouteCurve[]): Share[] | null {
    const { side, amount } = this.#query
    if (side === 'in') return sharesIn(curves, amount)
    const total = this.#total(curves.map(({ sides }) => sides))
    return total === null ? null : sharesOut(curves, amount, total, this.#work)
  }

  #improve(best: readonly Share[]): void {
    const { side, amount, maxSplits } = this.#query
    const sides = best.map(({ curve }) => curve.sides)
    for (const { curve, amountIn, amountOut } of best) {
      const share = side === 'in' ? amountIn : amountOut
      if (share * SMALL > amount) continue
      const others = sides.filter((route) => route !== curve.sides)
      this.#tryWith(others, share)
    }
    if (best.length < maxSplits) this.#tryWith(sides, amount / BigInt(STEPS))
    for (let before: readonly Share[] = []; before !== this.#best && this.#best !== null; ) {
      before = this.#best
      this.#tryAll(withoutSmallest(before).map(({ curve }) => curve))
    }
  }

  #tryWith(others: readonly (readonly PoolSide[])[], amount: bigint): void {
    const route = this.#candidates.find(amount, others.flat())
    if (route !== null) this.#tryAll([...others, route.sides].map((sides) => this.#curveOf(sides)))
  }

  #curveOf(sides: readonly PoolSide[]): RouteCurve {
    const curve = this.#curves.get(sides) ?? new RouteCurve(sides, this.#work)
    this.#curves.set(sides, curve)
    return curve
  }
}

interface Amounts {
  amountIn: bigint
  amountOut: bigint
}

function isBetter(query: AmountQuery, parts: readonly Amounts[], others: readonly Amounts[] | null): boolean {
  return others === null || score(query, parts) > score(query, others)
}

/** Returns the output or the negative input, minus what additional parts must gain. */
function score({ side }: AmountQuery, parts: readonly Amounts[]): bigint {
  const further = BigInt(parts.length - 1)
  return side === 'in'
    ? sumOf(parts, 'amountOut') * (MIN_GAIN - further)
    : -sumOf(parts, 'amountIn') * (MIN_GAIN + further)
}

function sumOf(parts: readonly Amounts[], side: 'amountIn' | 'amountOut'): bigint {
  return parts.reduce((sum, part) => sum + part[side], 0n)
}

function withoutSmallest(shares: readonly Share[]): Share[] {
  let smallest = shares[0]
  for (const share of shares) if (smallest === undefined || share.amountIn < smallest.amountIn) smallest = share
  return shares.filter((share) => share !== smallest)
}

function sharesIn(curves: readonly RouteCurve[], total: bigint, start: readonly Share[] | null = null): Share[] | null {
  const first = start === null ? null : start.map(({ amountIn }) => amountIn)
  const amounts = shareOut(curves, total, first)
  if (amounts === null) return null
  return curves.map((curve, index) => {
    const amountIn = present(amounts[index])
    return { curve, amountIn, amountOut: curve.paidFor(amountIn) }
  })
}

/**
 * Computing outputs is cheaper than computing inputs, so inputs are shared out. Secants through the last two totals
 * lead to a total that buys about the right amount.
 */
function sharesOut(curves: readonly RouteCurve[], amountOut: bigint, about: bigint, work: QuoteWork): Share[] | null {
  let before: Amounts = NOTHING
  let total = about
  let shares: readonly Share[] | null = null
  let bought = 0n
  for (let round = 0; round < MAX_TOTALS; round++) {
    shares = sharesIn(curves, total, shares)
    if (shares === null) return null
    bought = sumOf(shares, 'amountOut')
    const rise: bigint = (bought - before.amountOut) * (total > before.amountIn ? 1n : -1n)
    if (bought === 0n || rise <= 0n) return null
    if (round > 0 && absolute(bought - amountOut) <= amountOut / NEAR_TOTAL) break
    const run = absolute(total - before.amountIn)
    const next: bigint = total + ((amountOut - bought) * run) / rise
    before = { amountIn: total, amountOut: bought }
    shares = scaled(shares, next > 0n ? next : 1n, total)
    total = next > 0n ? next : 1n
  }
  const needed = scaled(shares ?? [], amountOut, bought).map((share) => {
    const amountIn = share.amountOut === 0n ? 0n : composedInput(share.curve.sides, share.amountOut, work, true)
    return amountIn === null ? null : { ...share, amountIn }
  })
  return needed.every((share) => share !== null) ? needed : null
}

function scaled(shares: readonly Share[], numerator: bigint, denominator: bigint): Share[] {
  const scale = (amount: bigint) => (amount * numerator) / denominator
  return shares.map(({ curve, amountIn, amountOut }) => {
    return { curve, amountIn: scale(amountIn), amountOut: scale(amountOut) }
  })
}

function equalParts(routes: readonly (readonly PoolSide[])[], amountOut: bigint, work: QuoteWork): bigint | null {
  let total = 0n
  for (const sides of routes) {
    const amountIn = composedInput(sides, amountOut / BigInt(routes.length) + 1n, work, true)
    if (amountIn === null) return null
    total += amountIn
  }
  return total
}

function exactIn(shares: readonly Share[], work: QuoteWork): QuotePart[] | null {
  const parts = shares.map(({ curve, amountIn }) => quotePart(curve.sides, amountIn, work))
  return parts.every((part) => part !== null) ? parts : null
}

function exactOut(shares: readonly Share[], amountOut: bigint, work: QuoteWork): QuotePart[] | null {
  const parts: QuotePart[] = []
  let rest = amountOut
  for (let index = shares.length - 1; index >= 0 && rest > 0n; index--) {
    const { curve, amountOut: share } = shares[index] as Share
    const amount: bigint = index === 0 || share > rest ? rest : share
    const amountIn = minInputAlong(curve.sides, amount, work)
    const part = amountIn && quotePart(curve.sides, amountIn, work)
    if (!part) return null
    parts.unshift(part)
    rest -= part.amountOut
  }
  return parts
}
