import type { QuoteAnswers } from './ask-quotes.ts'
import type { Part } from './report-part.ts'

/** How the quotes stood beside the chain. */
export function quotesPart({ asked, outcomes, marked, crossing, wrong, slowest, readyAfterS }: QuoteAnswers): Part {
  const { equal, partial, unseen } = outcomes
  const compared = equal + partial + unseen + outcomes.wrong
  return {
    table: [
      ['-- quotes', `${asked} asked, ${compared} compared with the chain at the block that they name`],
      ['the best of the chain', `${equal}, the best route of ${crossing} crosses ticks`],
      ['worse and marked', `${partial} of ${marked} marked in all`],
      ['worse over pools not indexed', String(unseen)],
      ['wrong', String(outcomes.wrong)],
      ...wrong.map((told) => ['', told] as const),
      ['without a price', `404: ${outcomes['not found']}, 503: ${outcomes['not now']}, none: ${outcomes.unanswered}`],
      ['slowest', `${slowest.toFixed(0)} ms`],
      ['ready', readyAfterS === null ? 'never' : `after ${readyAfterS.toFixed(0)} s`],
    ],
    figures: {
      quotes_asked: asked,
      quotes_compared: compared,
      quotes_equal: equal,
      quotes_partial: partial,
      quotes_unseen: unseen,
      quotes_wrong: outcomes.wrong,
      quotes_not_found: outcomes['not found'],
      quotes_not_now: outcomes['not now'],
    },
  }
}
