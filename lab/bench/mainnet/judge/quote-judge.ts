import type { Address } from '@dexfeed/dex'
import type { MadeWorld } from '../made/world/made-world.ts'
import type { MadePool, MadeToken } from '../made/world/pool.ts'
import { type ExactOutput, exactOutput, type Fraction, marginalRate } from './exact-output.ts'
import { exactPrice, marginalPrice, priceText, readPrice } from './price.ts'
import { type Leg, RouteBook } from './route-book.ts'

export interface QuoteQuestion {
  sell: MadeToken
  buy: MadeToken
}

export interface GivenQuote {
  /** HTTP status; 0: no response. */
  status: number
  price: string | null
  basis: string | null
  block: number | null
  /** Whether it is marked as perhaps not the best. */
  isPartial: boolean
  /** The error of a response without a price; null: none. */
  reason: string | null
}

/**
 * `equal`: the best of the chain at the block of the response, to the last digit. Worse, but what a route gives:
 * `partial`, if the response is marked; `unseen`, if no indexed block has shown a better route's pool.
 */
export type Outcome = 'equal' | 'partial' | 'unseen' | 'not found' | 'not now' | 'no response' | 'wrong'

export interface Verdict {
  outcome: Outcome
  /** Initialised ticks that the best route crosses. */
  crossed: number
  /** Of a wrong one, what there is to say. */
  problem: string | null
}

interface PricedRoute extends ExactOutput {
  legs: readonly Leg[]
  price: bigint
}

/** A response below this many base units is a rate. */
const COARSE = 1_000n

/** Compares quotes with what the contracts of a made chain would give, by separate arithmetic. */
export class QuoteJudge {
  readonly #world: MadeWorld
  readonly #routes: RouteBook
  readonly #anchors: ReadonlySet<Address>
  /** The newest block of a response. */
  #newest: number

  constructor(world: MadeWorld) {
    this.#world = world
    this.#newest = world.firstHead
    this.#routes = new RouteBook(world)
    const { wrappedNative, stablecoins } = world.market
    this.#anchors = new Set([wrappedNative, ...stablecoins].map(({ address }) => address))
  }

  /** @param isKnown whether the indexer knew a pool before the request */
  judge(question: QuoteQuestion, given: GivenQuote, isKnown: (pool: MadePool) => boolean): Verdict {
    if (given.status === 0) return verdict('no response')
    if (given.status === 503) return verdict('not now')
    if (given.status === 404) return this.#judgeNone(question, given, isKnown)
    const price = readPrice(given.price ?? '')
    const { status, block, basis } = given
    if (status !== 200 || block === null || price === null || (basis !== 'exact' && basis !== 'marginal')) {
      return wrong(question, `status ${status}, price ${given.price}, ${basis}, at block ${block}`)
    }
    this.#newest = Math.max(this.#newest, block)
    const isMarginal = basis === 'marginal'
    const anchored = this.#priced(question, block, isMarginal, (token) => this.#anchors.has(token))
    const named = `${priceText(price)} (${basis}) at block ${block}`
    if (!anchored.some((route) => route.price === price)) {
      // A token between two pools may be proven by its moves.
      const found = this.#priced(question, block, isMarginal, () => true).some((route) => route.price === price)
      if (!found) return wrong(question, `${named}, which no route gives; the best is ${routeText(bestOf(anchored))}`)
    }
    if (!isMarginal && price < exactPrice(COARSE, question.buy.decimals)) return wrong(question, `${named}, too coarse`)
    const best = bestOf(anchored)
    const known = bestOf(anchored.filter(({ legs }) => legs.every(({ pool }) => isKnown(pool))))
    const crossed = best?.crossed ?? 0
    if (known !== null && isBetter(known, price, isMarginal)) {
      return given.isPartial ? verdict('partial', crossed) : wrong(question, `${named}, not ${routeText(known)}`)
    }
    if (best === null || !isBetter(best, price, isMarginal)) return verdict('equal', crossed)
    return verdict(given.isPartial ? 'partial' : 'unseen', crossed)
  }

  #judgeNone(
    question: QuoteQuestion,
    { isPartial, reason }: GivenQuote,
    isKnown: (pool: MadePool) => boolean,
  ): Verdict {
    const routes = this.#priced(question, this.#newest, false, (token) => this.#anchors.has(token))
    const known = bestOf(routes.filter(({ legs }) => legs.every(({ pool }) => isKnown(pool))))
    return known === null || isPartial
      ? verdict('not found')
      : wrong(question, `404 (${reason}), unmarked, and not ${routeText(known)}`)
  }

  /** What each route gives for one whole token, or its rate. */
  #priced(
    question: QuoteQuestion,
    block: number,
    isMarginal: boolean,
    passes: (token: Address) => boolean,
  ): PricedRoute[] {
    const { sell, buy } = question
    return [...this.#routes.routes(sell.address, buy.address, block, passes)].flatMap((legs) => {
      const end = this.#amountOver(legs, block, 10n ** BigInt(sell.decimals))
      if (end === null) return []
      const price = isMarginal
        ? marginalPrice(this.#rateOver(legs, block), sell.decimals, buy.decimals)
        : exactPrice(end.amountOut, buy.decimals)
      return [{ legs, price, ...end }]
    })
  }

  #amountOver(legs: readonly Leg[], block: number, amountIn: bigint): ExactOutput | null {
    let end: ExactOutput = { amountOut: amountIn, crossed: 0 }
    for (const { pool, sellsToken0 } of legs) {
      const next = exactOutput(pool, this.#world.stateAt(pool, block), sellsToken0, end.amountOut)
      if (next === null) return null
      end = { amountOut: next.amountOut, crossed: end.crossed + next.crossed }
    }
    return end
  }

  #rateOver(legs: readonly Leg[], block: number): Fraction {
    let [numerator, denominator] = [1n, 1n]
    for (const { pool, sellsToken0 } of legs) {
      const rate = marginalRate(pool, this.#world.stateAt(pool, block), sellsToken0)
      numerator *= rate.numerator
      denominator *= rate.denominator
    }
    return { numerator, denominator }
  }
}

/** Where a route pays enough for an exact price, a rate is not the best response. */
function isBetter(route: PricedRoute, price: bigint, isMarginal: boolean): boolean {
  return route.price > price || (isMarginal && route.amountOut >= COARSE)
}

function bestOf(routes: readonly PricedRoute[]): PricedRoute | null {
  return routes.reduce<PricedRoute | null>((best, one) => (best === null || one.price > best.price ? one : best), null)
}

function verdict(outcome: Exclude<Outcome, 'wrong'>, crossed = 0): Verdict {
  return { outcome, crossed, problem: null }
}

function wrong({ sell, buy }: QuoteQuestion, problem: string): Verdict {
  return {
    outcome: 'wrong',
    crossed: 0,
    problem: `${sell.symbol} ${sell.address} for ${buy.symbol} ${buy.address}: ${problem}`,
  }
}

function routeText(route: PricedRoute | null): string {
  if (route === null) return 'none'
  const pools = route.legs.map(({ pool: { kind, address, rank } }) => `${kind} ${address} (rank ${rank})`)
  return `${priceText(route.price)} over ${pools.join(', ')}`
}
