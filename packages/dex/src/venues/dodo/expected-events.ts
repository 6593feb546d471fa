import { type ExpectedEvents, exchanged, token, touches } from '../../../test/random/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = {
  dodo: {
    DODOSwap: (args) => exchanged('dodo', token(args.fromToken), args.fromAmount, token(args.toToken), args.toAmount),
    ...touches('dodo', 'BuyShares', 'SellShares', 'LpFeeRateChange', 'MtFeeRateChange', 'IChange', 'DODOFlashLoan'),
  },
}
