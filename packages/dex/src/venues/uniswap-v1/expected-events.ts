import { coins, type ExpectedEvents, exchanged } from '../../../test/random/expected-events.ts'

const swapOf = (isTokenSold: boolean, soldAmount: bigint, boughtAmount: bigint) => {
  const [sold, bought] = coins(isTokenSold)
  return exchanged('uniswap-v1', sold, soldAmount, bought, boughtAmount)
}

export const EXPECTED_EVENTS: ExpectedEvents = {
  'uniswap-v1': {
    TokenPurchase: (args) => swapOf(false, args.eth_sold, args.tokens_bought),
    EthPurchase: (args) => swapOf(true, args.tokens_sold, args.eth_bought),
  },
}
