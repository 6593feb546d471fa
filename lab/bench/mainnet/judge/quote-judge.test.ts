import { createMarket, quotePrice } from '@dexfeed/dex'
import { describe, expect, it } from 'vitest'
import { MadeWorld } from '../made/world/made-world.ts'
import type { MadePool } from '../made/world/pool.ts'
import { PRESETS } from '../presets.ts'
import { drawQuestion } from './draw-question.ts'
import { type GivenQuote, QuoteJudge, type QuoteQuestion } from './quote-judge.ts'

const SHAPE = { ...PRESETS.bsc, swaps: 12, pools: 80, newPoolsPerMinute: 66, cycle: 20, stableDecimals: 6 }
const world = new MadeWorld({ network: 'bsc', seed: 5, shape: SHAPE, history: 40 })
const judge = new QuoteJudge(world)
const BLOCK = world.firstHead + 20
const POOLS = [...world.market.confirmed, ...world.later.until(BLOCK).map(({ pool }) => pool)]
const anchors = [world.market.wrappedNative, ...world.market.stablecoins]
const PASSABLE = new Set(anchors.map(({ address }) => address))
const DRAWN = Array.from({ length: 200 }, (_, place) => drawQuestion(world, BLOCK, place))
/** Some tokens have pools with such tokens alone that nothing is led through. */
const QUESTIONS = DRAWN.filter((question) => quoted(question, POOLS, BLOCK) !== null)
const all = () => true

/** What a server says that holds these pools as they were at the end of a block. */
function given(question: QuoteQuestion, pools: readonly MadePool[], stateOf = BLOCK): GivenQuote {
  const quote = quoted(question, pools, stateOf)
  const found = {
    status: 200,
    price: quote?.price ?? null,
    basis: quote?.basis ?? null,
    block: BLOCK,
    isPartial: false,
    reason: null,
  }
  return quote === null ? { ...found, status: 404 } : found
}

function quoted({ sell, buy }: QuoteQuestion, pools: readonly MadePool[], stateOf: number) {
  const market = createMarket(
    pools.map((pool) => {
      const { address, token0, token1, fee } = pool
      const tickSpacing = pool.kind === 'uniswap-v2' ? null : pool.tickSpacing
      const ticks = [...pool.ticks].map(([tick, liquidity]) => ({ tick, ...liquidity }))
      const quotable = { address, token0: token0.address, token1: token1.address, fee, tickSpacing }
      return { pool: quotable, state: world.stateAt(pool, stateOf), ...(tickSpacing !== null && { ticks }) }
    }),
    PASSABLE,
  )
  return quotePrice(market, { sell, buy })
}

/** The pools without the first one of the best route. */
function without(question: QuoteQuestion): MadePool[] {
  const best = quoted(question, POOLS, BLOCK)?.route[0]?.pool.address
  return POOLS.filter(({ address }) => address !== best)
}

const outcomes = (respond: (question: QuoteQuestion) => GivenQuote, isKnown: (pool: MadePool) => boolean = all) =>
  new Set(QUESTIONS.map((question) => judge.judge(question, respond(question), isKnown).outcome))

describe('a response is', () => {
  it('equal where it is the best of the chain, exact or as a rate, over young pools and over three', () => {
    expect(QUESTIONS.length).toBeGreaterThan(150)
    expect(outcomes((question) => given(question, POOLS))).toEqual(new Set(['equal']))
    expect(new Set(QUESTIONS.map((question) => given(question, POOLS).basis))).toEqual(new Set(['exact', 'marginal']))
  })

  it('wrong where its last digit is another one', () => {
    const nudged = (question: QuoteQuestion): GivenQuote => {
      const right = given(question, POOLS)
      return { ...right, price: (right.price ?? '').replace(/\d$/, (digit) => (digit === '1' ? '2' : '1')) }
    }
    expect(outcomes(nudged)).toEqual(new Set(['wrong']))
  })

  it('wrong where it is of another block', () => {
    const question = { sell: world.market.wrappedNative, buy: anchors[1] ?? world.market.wrappedNative }
    const { outcome, problem } = judge.judge(question, given(question, POOLS, BLOCK - 3), all)
    expect(outcome).toBe('wrong')
    expect(problem).toMatch(/which no route gives; the best is [\d.]+ over .* 0x/)
  })

  it('wrong where a pool that is known is left out, marked, or over one that no block has shown', () => {
    const question = { sell: world.market.wrappedNative, buy: anchors[1] ?? world.market.wrappedNative }
    const lesser = given(question, without(question))
    const known = new Set(without(question))
    expect(judge.judge(question, lesser, all)).toMatchObject({ outcome: 'wrong' })
    expect(judge.judge(question, { ...lesser, isPartial: true }, all)).toMatchObject({ outcome: 'partial' })
    expect(judge.judge(question, lesser, (pool) => known.has(pool))).toMatchObject({ outcome: 'unseen' })
  })

  it('wrong where it is missing although a route is known, and nothing marks it', () => {
    const none = { status: 404, price: null, basis: null, block: null, isPartial: false, reason: null }
    const question = { sell: world.market.wrappedNative, buy: anchors[1] ?? world.market.wrappedNative }
    expect(judge.judge(question, none, all)).toMatchObject({ outcome: 'wrong' })
    expect(judge.judge(question, { ...none, isPartial: true }, all)).toMatchObject({ outcome: 'not found' })
    expect(judge.judge(question, none, () => false)).toMatchObject({ outcome: 'not found' })
    expect(judge.judge(question, { ...none, status: 500 }, all)).toMatchObject({ outcome: 'wrong' })
    expect(judge.judge(question, { ...none, status: 503 }, all)).toMatchObject({ outcome: 'not now' })
  })

  it('wrong where it is a rate although one token buys enough', () => {
    const question = { sell: world.market.wrappedNative, buy: anchors[1] ?? world.market.wrappedNative }
    expect(judge.judge(question, { ...given(question, POOLS), basis: 'marginal' }, all)).toMatchObject({
      outcome: 'wrong',
    })
  })
})
