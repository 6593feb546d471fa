import type { Part } from './report-part.ts'
import type { QuoteResults } from './request-quotes.ts'

/** Returns the comparison of the quotes with the chain. */
export function quotesPart({ requested, outcomes, marked, crossing, wrong, slowest, readyAfterS }: QuoteResults): Part {
  const { equal, partial, unseen } = outcomes
  const compared = equal + partial + unseen + outcomes.wrong
  return {
    table: [
      ['-- quotes', `${requested} requested, ${compared} compared with the chain at their block`],
      ['the best of the chain', `${equal}, the best route of ${crossing} crosses ticks`],
      ['worse and marked', `${partial} of ${marked} marked in all`],
      ['worse over pools not indexed', String(unseen)],
      ['wrong', String(outcomes.wrong)],
      ...wrong.map((text) => ['', text] as const),
      [
        'without a price',
        `404: ${outcomes['not found']}, 503: ${outcomes['not now']}, none: ${outcomes['no response']}`,
      ],
      ['slowest', `${slowest.toFixed(0)} ms`],
      ['ready', readyAfterS === null ? 'never' : `after ${readyAfterS.toFixed(0)} s`],
    ],
    figures: {
      quotes_asked: requested,
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
