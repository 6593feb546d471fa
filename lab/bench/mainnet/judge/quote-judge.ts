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

/** What the API answered. */
export interface GivenQuote {
  /** Of HTTP; 0: no answer. */
  status: number
  price: string | null
  basis: string | null
  /** The block that the answer names. */
  block: number | null
  /** Whether it is marked as perhaps not the best. */
  isPartial: boolean
  /** What an answer without a price says; null: nothing. */
  reason: string | null
}

/**
 * `equal`: the best of the chain at the block that the answer names, to the last digit. Worse, but what a route gives:
 * `partial`, where the answer is marked; `unseen`, where no block that is indexed has told of a better route's pool.
 */
export type Outcome = 'equal' | 'partial' | 'unseen' | 'not found' | 'not now' | 'unanswered' | 'wrong'

export interface Verdict {
  outcome: Outcome
  /** Initialised ticks that the best route crosses. */
  crossed: number
  /** Of a wrong one, what there is to say. */
  told: string | null
}

interface PricedRoute extends ExactOutput {
  legs: readonly Leg[]
  price: bigint
}

/** An answer below so many base units is a rate. */
const COARSE = 1_000n

/** Compares quotes with what the contracts of a made chain would give, by arithmetic of its own. */
export class QuoteJudge {
  readonly #world: MadeWorld
  readonly #routes: RouteBook
  readonly #anchors: ReadonlySet<Address>
  /** The newest block that an answer named. */
  #newest: number

  constructor(world: MadeWorld) {
    this.#world = world
    this.#newest = world.firstHead
    this.#routes = new RouteBook(world)
    const { wrappedNative, stablecoins } = world.market
    this.#anchors = new Set([wrappedNative, ...stablecoins].map(({ address }) => address))
  }

  /** @param isKnown whether the indexer knew a pool before it was asked */
  judge(asked: QuoteQuestion, given: GivenQuote, isKnown: (pool: MadePool) => boolean): Verdict {
    if (given.status === 0) return verdict('unanswered')
    if (given.status === 503) return verdict('not now')
    if (given.status === 404) return this.#judgeNone(asked, given, isKnown)
    const price = readPrice(given.price ?? '')
    const { status, block, basis } = given
    if (status !== 200 || block === null || price === null || (basis !== 'exact' && basis !== 'marginal')) {
      return wrong(asked, `answered ${status}, price ${given.price}, ${basis}, at block ${block}`)
    }
    this.#newest = Math.max(this.#newest, block)
    const isMarginal = basis === 'marginal'
    const anchored = this.#priced(asked, block, isMarginal, (token) => this.#anchors.has(token))
    const named = `${priceText(price)} (${basis}) at block ${block}`
    if (!anchored.some((route) => route.price === price)) {
      // What stands between two pools may be proven by its moves.
      const found = this.#priced(asked, block, isMarginal, () => true).some((route) => route.price === price)
      if (!found) return wrong(asked, `${named}, which no route gives; the best is ${routeText(bestOf(anchored))}`)
    }
    if (!isMarginal && price < exactPrice(COARSE, asked.buy.decimals)) return wrong(asked, `${named}, too coarse`)
    const best = bestOf(anchored)
    const known = bestOf(anchored.filter(({ legs }) => legs.every(({ pool }) => isKnown(pool))))
    const crossed = best?.crossed ?? 0
    if (known !== null && isBetter(known, price, isMarginal)) {
      return given.isPartial ? verdict('partial', crossed) : wrong(asked, `${named}, not ${routeText(known)}`)
    }
    if (best === null || !isBetter(best, price, isMarginal)) return verdict('equal', crossed)
    return verdict(given.isPartial ? 'partial' : 'unseen', crossed)
  }

  #judgeNone(asked: QuoteQuestion, { isPartial, reason }: GivenQuote, isKnown: (pool: MadePool) => boolean): Verdict {
    const routes = this.#priced(asked, this.#newest, false, (token) => this.#anchors.has(token))
    const known = bestOf(routes.filter(({ legs }) => legs.every(({ pool }) => isKnown(pool))))
    return known === null || isPartial
      ? verdict('not found')
      : wrong(asked, `404 (${reason}), unmarked, and not ${routeText(known)}`)
  }

  /** What each route gives for one whole token, or its rate. */
  #priced(
    asked: QuoteQuestion,
    block: number,
    isMarginal: boolean,
    passes: (token: Address) => boolean,
  ): PricedRoute[] {
    const { sell, buy } = asked
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

/** Where a route pays enough for an exact price, a rate is not the best answer. */
function isBetter(route: PricedRoute, price: bigint, isMarginal: boolean): boolean {
  return route.price > price || (isMarginal && route.amountOut >= COARSE)
}

function bestOf(routes: readonly PricedRoute[]): PricedRoute | null {
  return routes.reduce<PricedRoute | null>((best, one) => (best === null || one.price > best.price ? one : best), null)
}

function verdict(outcome: Exclude<Outcome, 'wrong'>, crossed = 0): Verdict {
  return { outcome, crossed, told: null }
}

function wrong({ sell, buy }: QuoteQuestion, told: string): Verdict {
  return {
    outcome: 'wrong',
    crossed: 0,
    told: `${sell.symbol} ${sell.address} for ${buy.symbol} ${buy.address}: ${told}`,
  }
}

function routeText(route: PricedRoute | null): string {
  if (route === null) return 'none'
  const pools = route.legs.map(({ pool: { kind, address, rank } }) => `${kind} ${address} (rank ${rank})`)
  return `${priceText(route.price)} over ${pools.join(', ')}`
}
