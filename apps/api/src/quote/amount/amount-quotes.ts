import { parseQuoteQuestion, type V1Body, type V1Handlers } from '@dexfeed/contract'
import { type AmountQuote, MAX_WORK, type NetworkName, type QuoteWork, quoteAmount } from '@dexfeed/dex'
import { HttpFailure, toFailure } from '../../http/http-failure.ts'
import { indexedBlocks } from '../../service/freshness.ts'
import type { TokenCatalog } from '../../token-catalog.ts'
import type { LiveMarket } from '../live-market.ts'
import type { PriceBoard } from '../prices/price-board.ts'
import type { QuoteDesk } from '../quote-desk.ts'
import { blockOf } from '../quote-facts.ts'
import { withAddresses } from '../resolve-token.ts'
import { quoteBody } from './quote-body.ts'
import { type AskedQuote, readQuestion } from './quote-question.ts'

export interface AmountQuotesOptions {
  desk: QuoteDesk
  catalog: TokenCatalog
  prices: PriceBoard
  protocols: (network: NetworkName) => Promise<ReadonlySet<string>>
}

const MAX_TOGETHER = 10 * MAX_WORK

type Quoted = V1Body<'quoteMany'>['quotes'][number]

export function amountQuote(options: AmountQuotesOptions): V1Handlers['quoteAmount'] {
  const { desk, prices } = options
  return async ({ network, ...question }, { client, signal }) => {
    const asked = await readQuestion(question, scopeOf(options, network))
    const by = { client, network, signal, prices }
    const quoted = (each: AskedQuote, live: LiveMarket) => bodyOf(options, live, each, MAX_WORK).body
    const { live, results } = await desk.together([asked], by, quoted)
    const [body] = results
    if (body === undefined) throw new Error('one quote has one result')
    return { body, headers: { 'X-Indexed-Block': indexedBlocks([live.network]) } }
  }
}

export function amountQuotes(options: AmountQuotesOptions): V1Handlers['quoteMany'] {
  const { desk, prices } = options
  return async ({ network, quotes }, { client, signal }) => {
    desk.market(network)
    const asked: (AskedQuote | HttpFailure)[] = []
    for (const raw of quotes) {
      signal.throwIfAborted()
      const scope = scopeOf(options, network)
      const read = async () => withAddresses({ network, ...parseQuoteQuestion(raw) }, options.catalog)
      asked.push(await orFailure(async () => readQuestion(await read(), scope)))
    }
    let left = MAX_TOGETHER
    const quoted = ([index, question]: [number, AskedQuote | HttpFailure], live: LiveMarket): Quoted => {
      // After a change of the market, all quotes are computed again.
      if (index === 0) left = MAX_TOGETHER
      if (question instanceof HttpFailure) return failed(index, question)
      try {
        const { body, work } = bodyOf(options, live, question, Math.min(MAX_WORK, left))
        left -= work
        return { index, status: 200, quote: body, failure: null }
      } catch (error) {
        const failure = toFailure(error)
        if (failure.status === 500) throw error
        if (failure.status === 503) left = Math.max(0, left - MAX_WORK)
        return failed(index, failure)
      }
    }
    const by = { client, network, signal, prices }
    const { live, results } = await desk.together([...asked.entries()], by, quoted)
    return {
      body: { network, block: blockOf(live, desk.now()), quotes: results },
      headers: { 'X-Indexed-Block': indexedBlocks([live.network]) },
    }
  }
}

function failed(index: number, { status, message, code }: HttpFailure): Quoted {
  return { index, status, quote: null, failure: { error: message, code } }
}

async function orFailure<T>(work: () => Promise<T>): Promise<T | HttpFailure> {
  try {
    return await work()
  } catch (error) {
    const failure = toFailure(error)
    if (failure.status === 500) throw error
    return failure
  }
}

function scopeOf({ desk, catalog, protocols }: AmountQuotesOptions, network: NetworkName) {
  return { network, wrappedNative: desk.market(network).network.wrappedNative, catalog, protocols }
}

function bodyOf({ desk, prices }: AmountQuotesOptions, live: LiveMarket, asked: AskedQuote, budget: number) {
  const { sell, buy } = asked
  const isSame = sell.address === buy.address
  // Checked even for the coin and its wrapper, because the response names a block and its age.
  desk.checkFresh(live)
  let done = 0
  const quoted = desk.withinBudget((work) => {
    const found = quotedAmount(live, asked, work)
    done = work.done
    return found
  }, budget)
  if (quoted === null) {
    throw new HttpFailure(404, 'no route over indexed pools exchanges this amount of these tokens')
  }
  const body = quoteBody(asked, quoted, {
    live,
    now: desk.now(),
    isPartial: !isSame && live.unread.mightCarry(live.market, sell.address, buy.address),
    usdE8: (token, amount) => prices.usdE8(live, token, amount),
  })
  return { body, work: done }
}

/** @throws QuoteOverBudget */
function quotedAmount({ market }: LiveMarket, asked: AskedQuote, work: QuoteWork): AmountQuote | null {
  const { sell, buy, amount, side, maxHops, maxSplits, allows } = asked
  // The coin and its wrapper always swap one to one.
  if (sell.address === buy.address) return { amountIn: amount, amountOut: amount, parts: [] }
  const query = { sell: sell.address, buy: buy.address, amount, side, maxHops, maxSplits }
  return quoteAmount(market, { ...query, ...(allows && { allows }) }, work)
}
