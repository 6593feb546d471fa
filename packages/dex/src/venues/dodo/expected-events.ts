import { coins, type ExpectedEvents, exchanged, token, touches } from '../../../test/random/expected-events.ts'

const swapOfV1 = (isBaseSold: boolean, soldAmount: bigint, boughtAmount: bigint) => {
  const [sold, bought] = coins(isBaseSold)
  return exchanged('dodo-v1', sold, soldAmount, bought, boughtAmount)
}

export const EXPECTED_EVENTS: ExpectedEvents = {
  dodo: {
    DODOSwap: (args) => exchanged('dodo', token(args.fromToken), args.fromAmount, token(args.toToken), args.toAmount),
    ...touches('dodo', 'BuyShares', 'SellShares', 'LpFeeRateChange', 'MtFeeRateChange', 'IChange', 'DODOFlashLoan'),
  },
  'dodo-v1': {
    SellBaseToken: (args) => swapOfV1(true, args.payBase, args.receiveQuote),
    BuyBaseToken: (args) => swapOfV1(false, args.payQuote, args.receiveBase),
  },
}
