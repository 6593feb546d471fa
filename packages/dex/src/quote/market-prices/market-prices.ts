import type { Address } from '../../chain.ts'
import { upperBound } from '../../maths/formula.ts'
import { present } from '../../present.ts'
import type { QuotedMarket, RouteHop } from '../best-route.ts'
import type { PoolSide } from '../pool-maths/pool-side.ts'
import { QuoteWork, WORK } from '../quote-work.ts'
import { END } from '../route-search/links.ts'
import type { Passage } from '../route-search/route-graph.ts'
import { firstTry, KEPT, saleDepth } from './sale-depth.ts'

/** Sizes of trial sales in USD. A smaller one is tried only if no route pays for the larger one. */
const TRIALS = [100, 1, 0.01] as const

/** A pool that pays less than this fraction of what its rate promises is too small for the trial. */
const CARRIED = 0.9

const MAX_DEEPEST = 3

/** The USD price of a whole token, times 10^18. */
export interface EndPrice {
  priceE18: bigint
  decimals: number
}

export interface MarketPrice<Price extends EndPrice = EndPrice> {
  /** In base units: `amountIn` of the token sold, `amountOut` of `end`. */
  amountIn: bigint
  amountOut: bigint
  end: Address
  endPrice: Price
  hops: readonly RouteHop[]
  /** What the deepest route pays before its price has fallen by 2 %, in USD times 10^8. */
  depthE8: bigint
}

interface SaleRoute {
  /** USD per base unit, including fees. */
  price: number
  sides: readonly PoolSide[]
  end: Address
  amount: bigint
  out: bigint
}

/**
 * Prices all tokens of a market by sales to tokens with a reference price (`ends`) through at most two pools. Valid
 * until the market changes. A price comes from the pools that pay the most for 100 USD, so manipulating it costs about
 * that much. The token in between must be listed if such pools are deep, as in a quote.
 */
export class MarketPrices<Price extends EndPrice> {
  readonly #market: QuotedMarket
  readonly #ends: ReadonlyMap<Address, Price>
  readonly #stablecoins: ReadonlySet<Address>
  readonly #units: ReadonlyMap<Address, number>
  readonly #trials: readonly Trial[] = TRIALS.map((usd) => ({ usd, direct: new Map() }))
  readonly #prices = new Map<Address, MarketPrice<Price> | null>()

  /** @param stablecoins the stablecoins among the ends; other ends are sold for them */
  constructor(market: QuotedMarket, ends: ReadonlyMap<Address, Price>, stablecoins: ReadonlySet<Address>) {
    this.#market = market
    this.#ends = ends
    this.#stablecoins = stablecoins
    const unit = ({ priceE18, decimals }: Price) => Number(priceE18) / 10 ** (18 + decimals)
    this.#units = new Map([...ends].map(([end, price]) => [end, unit(price)]))
  }

  /** Returns null if no route pays for a sale. @throws QuoteOverBudget */
  of(token: Address, work = new QuoteWork()): MarketPrice<Price> | null {
    const cached = this.#prices.get(token)
    if (cached !== undefined) return cached
    const price = this.#find(token, work)
    this.#prices.set(token, price)
    return price
  }

  #find(token: Address, work: QuoteWork): MarketPrice<Price> | null {
    const id = this.#market.graph.token(token)
    if (id === null) return null
    for (const trial of this.#trials) {
      const routes = this.#routesOf(id, token, trial, work)
      const price = routes.best && this.#sale(routes.best, routes.deepest(), work)
      if (price !== null) return price
    }
    return null
  }

  #routesOf(id: number, token: Address, trial: Trial, work: QuoteWork): SaleRoutes {
    const direct = this.#directRoutes(id, token, trial, work)
    if (this.#ends.has(token)) return direct
    const listed = new SaleRoutes(trial, direct)
    this.#addIndirectRoutes(listed, id, 'listed', work)
    if (listed.isDeep || !this.#market.graph.hasProven) return listed
    const proven = new SaleRoutes(trial, direct)
    this.#addIndirectRoutes(proven, id, 'proven', work)
    return proven
  }

  #directRoutes(id: number, token: Address, trial: Trial, work: QuoteWork): SaleRoutes {
    const cached = trial.direct.get(id)
    if (cached !== undefined) return cached
    const routes = new SaleRoutes(trial)
    for (const [link, end] of this.#linksToEnds(id, token, work)) {
      this.#addThrough(routes, link, { price: this.#unit(end), sides: [], end, isDeep: true }, work)
    }
    trial.direct.set(id, routes)
    return routes
  }

  #unit(end: Address): number {
    return present(this.#units.get(end))
  }

  /** Most tokens have fewer links than there are ends. */
  #linksToEnds(id: number, token: Address, work: QuoteWork): [number, Address][] {
    const { graph } = this.#market
    const isEnd = this.#ends.has(token)
    const found: [number, Address][] = []
    const take = (link: number, end: Address) => {
      if (end !== token && (!isEnd || this.#stablecoins.has(end))) found.push([link, end])
    }
    if (graph.links.count(id) > this.#ends.size) {
      for (const end of this.#ends.keys()) {
        work.spend(WORK.path)
        const to = graph.token(end)
        const link = to === null ? undefined : graph.link(id, to)
        if (link !== undefined) take(link, end)
      }
      return found
    }
    for (let link = graph.links.first(id); link !== END; link = graph.links.next[link] as number) {
      work.spend(WORK.path)
      const end = graph.addressOf(graph.target[link] as number)
      if (end !== undefined && this.#ends.has(end)) take(link, end)
    }
    return found
  }

  #addIndirectRoutes(routes: SaleRoutes, id: number, through: Passage, work: QuoteWork): void {
    const { graph } = this.#market
    const passages = graph.passages[through]
    for (let link = passages.first(id); link !== END; link = passages.next[link] as number) {
      work.spend(WORK.path)
      const token = graph.addressOf(graph.target[link] as number)
      if (token === undefined || this.#ends.has(token)) continue
      const { best, isDeep } = this.#directRoutes(graph.target[link] as number, token, routes.trial, work)
      if (best !== null) this.#addThrough(routes, link, { ...best, isDeep }, work)
    }
  }

  #addThrough(
    routes: SaleRoutes,
    link: number,
    after: { price: number; sides: readonly PoolSide[]; end: Address; isDeep: boolean },
    work: QuoteWork,
  ): void {
    const needed = routes.trial.usd / after.price
    for (const side of this.#market.graph.pools.sides(link)) {
      work.spend(WORK.bound)
      const { rate, depth } = side.bound
      if (after.sides.some((later) => later.isMovedBy(side))) continue
      const showsDepth = !routes.isDeep && after.isDeep && this.#isDeep(side, work)
      if (rate * after.price < routes.floor && !showsDepth) continue
      const amount = Math.max(1, Math.ceil(needed / rate))
      if (!Number.isFinite(amount) || upperBound(rate, depth, amount) < CARRIED * needed) continue
      const sold = BigInt(amount)
      const out = side.quote(sold, work)
      if (out === null || Number(out) < CARRIED * needed) continue
      const price = (Number(out) / amount) * after.price
      if (showsDepth) routes.isDeep = true
      routes.add({ price, sides: [side, ...after.sides], end: after.end, amount: sold, out })
    }
  }

  #isDeep(side: PoolSide, work: QuoteWork): boolean {
    if (!this.#market.graph.hasProven) return false
    work.spend(WORK.quote)
    return this.#market.isDeep(side.pool.address)
  }

  #sale(best: SaleRoute, deepest: readonly SaleRoute[], work: QuoteWork): MarketPrice<Price> | null {
    const endPrice = this.#ends.get(best.end)
    const amountOut = sell(best.out, best.sides.slice(1), work)
    if (endPrice === undefined || amountOut === null || amountOut === 0n) return null
    const price = (Number(amountOut) / Number(best.amount)) * this.#unit(best.end)
    let depthE8 = 0n
    for (const route of deepest) {
      const depth = this.#depth(route, price, work)
      if (depth > depthE8) depthE8 = depth
    }
    const hops = best.sides.map(({ pool, tokenIn, tokenOut }) => ({ pool, tokenIn, tokenOut }))
    return { amountIn: best.amount, amountOut, end: best.end, endPrice, hops, depthE8 }
  }

  /** Returns what a route pays until its price has fallen by 2 %, in USD times 10^8. */
  #depth({ sides, end, amount, out }: SaleRoute, price: number, work: QuoteWork): bigint {
    const amountOut = sell(out, sides.slice(1), work)
    if (amountOut === null) return 0n
    const small = { amountIn: amount, amountOut }
    const paid = saleDepth(small, price / this.#unit(end), sides, (more) => sell(more, sides, work))
    const { priceE18, decimals } = this.#ends.get(end) as Price
    return (paid * priceE18) / 10n ** BigInt(decimals + 10)
  }
}

function sell(amount: bigint, sides: readonly PoolSide[], work: QuoteWork): bigint | null {
  let left: bigint | null = amount
  for (const side of sides) left = left === null || left === 0n ? null : side.quote(left, work)
  return left
}

interface Trial {
  usd: number
  direct: Map<number, SaleRoutes>
}

class SaleRoutes {
  readonly trial: Trial
  best: SaleRoute | null
  isDeep: boolean
  readonly #all: SaleRoute[]

  constructor(trial: Trial, direct: SaleRoutes | null = null) {
    this.trial = trial
    this.best = direct?.best ?? null
    this.isDeep = direct?.isDeep ?? false
    this.#all = direct === null ? [] : [...direct.#all]
  }

  get floor(): number {
    return this.best === null ? 0 : KEPT * this.best.price
  }

  add(route: SaleRoute): void {
    this.best = better(this.best, route)
    this.#all.push(route)
  }

  deepest(): SaleRoute[] {
    const { floor } = this
    const near = this.#all.filter(({ price }) => price >= floor)
    if (near.length <= MAX_DEEPEST) return near
    const depth = ({ price, sides }: SaleRoute) => price * firstTry(sides)
    return near
      .map((route) => ({ route, depth: depth(route) }))
      .sort((a, b) => b.depth - a.depth || (addressesOf(a.route) < addressesOf(b.route) ? -1 : 1))
      .slice(0, MAX_DEEPEST)
      .map(({ route }) => route)
  }
}

/** Ties go to the lower pool address. */
function better(a: SaleRoute | null, b: SaleRoute): SaleRoute {
  if (a === null) return b
  if (a.price !== b.price) return a.price > b.price ? a : b
  return addressesOf(a) <= addressesOf(b) ? a : b
}

function addressesOf({ sides }: SaleRoute): string {
  return sides.map(({ pool }) => pool.address).join()
}
