import { type Expectation, type ExpectedEvents, settled } from '../../../test/random/expected-events.ts'

const traded =
  (kind: string): Expectation =>
  (args) =>
    settled(kind, args.sourceToken, args.sourceAmount, args.targetToken, args.targetAmount)

export const EXPECTED_EVENTS: ExpectedEvents = {
  'bancor-v2': {
    Conversion: (args) => settled('bancor-v2', args.fromToken, args.fromAmount, args.toToken, args.toAmount),
  },
  'bancor-v3': { TokensTraded: traded('bancor-v3') },
  carbon: { TokensTraded: traded('carbon') },
}
