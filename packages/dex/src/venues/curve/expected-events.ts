import { type Expectation, type ExpectedEvents, touches } from '../../../test/random/expected-events.ts'

const LAST_COIN = 31n
const exchange =
  (place: 'coin' | 'underlying'): Expectation =>
  ({ sold_id: sold, tokens_sold: soldAmount, bought_id: bought, tokens_bought: boughtAmount }) => {
    if (sold < 0n || sold > LAST_COIN || bought < 0n || bought > LAST_COIN) return null
    return {
      type: 'exchange',
      family: 'curve',
      soldAmount,
      boughtAmount,
      sold: { [place]: Number(sold) },
      bought: { [place]: Number(bought) },
    }
  }

export const EXPECTED_EVENTS: ExpectedEvents = {
  curve: {
    TokenExchange: exchange('coin'),
    TokenExchangeUnderlying: exchange('underlying'),
    ...touches(
      'curve',
      ...['AddLiquidity', 'RemoveLiquidity', 'RemoveLiquidityImbalance', 'RemoveLiquidityOne', 'DonateAdminFees'],
      ...['RampA', 'StopRampA', 'NewFee', 'ApplyNewFee', 'NewParameters', 'Kill', 'Unkill', 'Paused', 'Unpaused'],
      ...['ChangePriceDiffThreshold', 'SetSkipPriceDiff', 'ChangeOracle'],
      ...['ClaimAdminFee', 'RampAgamma', 'Donation', 'SetPeriphery', 'SetPolicyContract'],
    ),
  },
  llamma: { TokenExchange: exchange('coin') },
}
