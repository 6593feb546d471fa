import { type ExpectedEvents, settled } from '../../../test/random/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = {
  tokenlon: {
    FillOrder: (args) =>
      settled('tokenlon', args.takerAssetAddr, args.takerAssetAmount, args.makerAssetAddr, args.makerAssetAmount),
  },
}
