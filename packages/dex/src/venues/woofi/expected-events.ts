import { type ExpectedEvents, settled } from '../../../test/random/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = {
  woofi: { WooSwap: (args) => settled('woofi', args.fromToken, args.fromAmount, args.toToken, args.toAmount) },
}
