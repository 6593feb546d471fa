import { coins, EMITTER, type ExpectedEvents, exchanged, lower } from '../../../test/random/expected-events.ts'

const MAX_UINT256 = 2n ** 256n - 1n

const trade = (token: string, isTokenSold: boolean, tokenAmount: bigint, quoteAmount: bigint) => {
  if (quoteAmount < 0n || quoteAmount > MAX_UINT256) return null
  const [sold, bought] = coins(isTokenSold)
  const [soldAmount, boughtAmount] = isTokenSold ? [tokenAmount, quoteAmount] : [quoteAmount, tokenAmount]
  const pool = `${EMITTER}${'0'.repeat(24)}${lower(token).slice(2)}`
  return { ...exchanged('four-meme', sold, soldAmount, bought, boughtAmount), pool }
}
const purchase = (token: string, amount: bigint, cost: bigint, fee: bigint) => trade(token, false, amount, cost + fee)
const sale = (token: string, amount: bigint, cost: bigint, fee: bigint) => trade(token, true, amount, cost - fee)

export const EXPECTED_EVENTS: ExpectedEvents = {
  'four-meme': {
    TokenPurchase: ({ token, amount, cost, fee }) => purchase(token, amount, cost, fee),
    TokenSale: ({ token, amount, cost, fee }) => sale(token, amount, cost, fee),
  },
}
