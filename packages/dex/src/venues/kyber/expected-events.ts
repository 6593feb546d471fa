import { type ExpectedEvents, settled } from '../../../test/random/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = {
  kyber: {
    TradeExecute: ({ src, srcAmount, destToken, destAmount }) =>
      settled('kyber', src, srcAmount, destToken, destAmount),
  },
}
