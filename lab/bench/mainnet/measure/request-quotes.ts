import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE, type NetworkName, SECOND } from '@dexfeed/dex'
import { drawQuestion } from '../judge/draw-question.ts'
import type { GivenQuote, Outcome, QuoteJudge, QuoteQuestion, Verdict } from '../judge/quote-judge.ts'
import type { MadeWorld } from '../made/world/made-world.ts'
import type { IndexedPools } from './indexed-pools.ts'

/** Responses of the API while the indexer was working, compared with the chain. */
export interface QuoteResults {
  requested: number
  outcomes: Record<Outcome, number>
  /** Responses that were marked as possibly not the best, whatever they were. */
  marked: number
  /** Those whose best route crosses initialised ticks. */
  crossing: number
  /** What there is to say of the first wrong ones. */
  wrong: string[]
  /** Milliseconds of the slowest. */
  slowest: number
  /** Seconds from the first question until it was ready; null: never. */
  readyAfterS: number | null
}

export interface QuotedNetwork {
  network: NetworkName
  world: MadeWorld
  judge: QuoteJudge
  indexed: IndexedPools
  /** The newest block that its node shows. */
  head(): number
}

const EACH_MS = MINUTE / 200
const TIMEOUT_MS = 5 * SECOND
const LOOK_MS = 2 * SECOND
const SHOWN = 20

/**
 * Requests 200 quotes a minute from the API, of the networks in turn, and judges each; and whether it is ready. Ends
 * with the signal.
 */
export async function requestQuotes(
  url: string,
  networks: readonly QuotedNetwork[],
  signal: AbortSignal,
): Promise<QuoteResults> {
  const results = noResults()
  const started = performance.now()
  let lookedAt = Number.NEGATIVE_INFINITY
  for (let i = 0; !signal.aborted; i++) {
    const one = networks[i % networks.length]
    if (one === undefined) return results
    if (performance.now() - lookedAt > LOOK_MS) {
      lookedAt = performance.now()
      for (const { indexed } of networks) await indexed.look()
      if (results.readyAfterS === null && (await fetch(`${url}/readyz`)).ok) {
        results.readyAfterS = (performance.now() - started) / SECOND
      }
    }
    const question = drawQuestion(one.world, one.head(), Math.floor(i / networks.length))
    const sentAt = performance.now()
    const given = await request(url, one.network, question)
    results.slowest = Math.max(results.slowest, performance.now() - sentAt)
    if (given.block !== null) one.indexed.note(given.block)
    const verdict = one.judge.judge(question, given, ({ address }) => one.indexed.isKnown(address))
    note(results, given, verdict, (sentAt - started) / SECOND)
    const next = started + (i + 1) * EACH_MS - performance.now()
    await delay(Math.max(0, next), undefined, { signal }).catch(() => undefined)
  }
  return results
}

function noResults(): QuoteResults {
  const outcomes = { equal: 0, partial: 0, unseen: 0, 'not found': 0, 'not now': 0, 'no response': 0, wrong: 0 }
  return { requested: 0, outcomes, marked: 0, crossing: 0, wrong: [], slowest: 0, readyAfterS: null }
}

function note(
  results: QuoteResults,
  { isPartial }: GivenQuote,
  { outcome, crossed, problem }: Verdict,
  afterS: number,
): void {
  results.requested++
  results.outcomes[outcome]++
  results.marked += isPartial ? 1 : 0
  results.crossing += crossed > 0 ? 1 : 0
  if (problem !== null && results.wrong.length < SHOWN) results.wrong.push(`after ${afterS.toFixed(0)} s ${problem}`)
}

async function request(url: string, network: NetworkName, { sell, buy }: QuoteQuestion): Promise<GivenQuote> {
  const query = new URLSearchParams({ network, sellToken: sell.address, buyToken: buy.address })
  try {
    const response = await fetch(`${url}/api/quote?${query}`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const body = (await response.json()) as { result?: { price?: string }; error?: string }
    const [, block] = /=(\d+)$/.exec(response.headers.get('x-indexed-block') ?? '') ?? []
    return {
      status: response.status,
      price: body.result?.price ?? null,
      basis: response.headers.get('x-price-basis'),
      block: block === undefined ? null : Number(block),
      isPartial: response.headers.get('x-quote-partial') === 'true',
      reason: body.error ?? null,
    }
  } catch {
    return { status: 0, price: null, basis: null, block: null, isPartial: false, reason: null }
  }
}
