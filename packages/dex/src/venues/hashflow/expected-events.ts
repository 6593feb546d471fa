import { type ExpectedEvents, settled } from '../../../test/random/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = {
  hashflow: {
    Trade: (args) => settled('hashflow', args.baseToken, args.baseTokenAmount, args.quoteToken, args.quoteTokenAmount),
  },
}
