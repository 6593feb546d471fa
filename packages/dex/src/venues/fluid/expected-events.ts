import { coins, type ExpectedEvents, exchanged, lower } from '../../../test/random/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = {
  fluid: {
    Swap: ({ swap0to1, amountIn, amountOut, to }) => {
      const [sold, bought] = coins(swap0to1)
      return { ...exchanged('fluid', sold, amountIn, bought, amountOut), recipient: lower(to) }
    },
  },
}
