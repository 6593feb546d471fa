import { type ExpectedEvents, exchanged } from '../../../test/random/expected-events.ts'

const LAST_TOKEN = 31n

const swap = (sold: bigint, soldAmount: bigint, bought: bigint, boughtAmount: bigint) => {
  if (sold > LAST_TOKEN || bought > LAST_TOKEN) return null
  return exchanged('saddle', { coin: Number(sold) }, soldAmount, { coin: Number(bought) }, boughtAmount)
}

export const EXPECTED_EVENTS: ExpectedEvents = {
  saddle: {
    TokenSwap: ({ soldId, tokensSold, boughtId, tokensBought }) => swap(soldId, tokensSold, boughtId, tokensBought),
  },
}
