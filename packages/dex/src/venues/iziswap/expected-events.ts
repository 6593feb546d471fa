import { coins, type ExpectedEvents, exchanged } from '../../../test/random/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = {
  iziswap: {
    Swap: ({ sellXEarnY, amountX, amountY }) => {
      const [sold, bought] = coins(sellXEarnY)
      return sellXEarnY
        ? exchanged('iziswap', sold, amountX, bought, amountY)
        : exchanged('iziswap', sold, amountY, bought, amountX)
    },
  },
}
