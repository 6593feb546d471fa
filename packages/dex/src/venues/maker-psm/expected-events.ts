import { coins, type ExpectedEvents, exchanged, touches } from '../../../test/random/expected-events.ts'

const WORD_END = 2n ** 256n

export const EXPECTED_EVENTS: ExpectedEvents = {
  'maker-psm': {
    SellGem: ({ value, fee }) => {
      const [dai, [sold, bought]] = [value * 10n ** 12n - fee, coins(true)]
      return dai < 0n || dai >= WORD_END ? null : exchanged('maker-psm', sold, value, bought, dai)
    },
    BuyGem: ({ value, fee }) => {
      const [dai, [sold, bought]] = [BigInt(value * 10n ** 12n + fee), coins(false)]
      return dai >= WORD_END ? null : exchanged('maker-psm', sold, dai, bought, value)
    },
    ...touches('maker-psm', 'File', 'Fill', 'Trim', 'Chug'),
  },
}
