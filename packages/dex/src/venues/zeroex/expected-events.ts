import { ERC20_ASSET } from '../../../test/random/abi-values.ts'
import { type Expectation, type ExpectedEvents, settled } from '../../../test/random/expected-events.ts'

const filledOrder: Expectation = (args) =>
  settled('zeroex', args.takerToken, args.takerTokenFilledAmount, args.makerToken, args.makerTokenFilledAmount)
/** Returns the token of an ERC-20 asset; null for other assets. */
const assetToken = (asset: string) =>
  asset.length === 74 && asset.startsWith(ERC20_ASSET) ? `0x${asset.slice(-40)}` : null

export const EXPECTED_EVENTS: ExpectedEvents = {
  zeroex: { RfqOrderFilled: filledOrder, OtcOrderFilled: filledOrder, LimitOrderFilled: filledOrder },
  'zeroex-exchange': {
    Fill: (args) => {
      const sold = assetToken(args.takerAssetData)
      const bought = assetToken(args.makerAssetData)
      if (sold === null || bought === null) return null
      return settled('zeroex-exchange', sold, args.takerAssetFilledAmount, bought, args.makerAssetFilledAmount)
    },
  },
}
