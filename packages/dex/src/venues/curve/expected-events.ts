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

const removed = (amounts: readonly bigint[] | null) => ({
  type: 'touch',
  family: 'curve',
  provided: { isAdded: false, amounts },
})
const provided =
  (isAdded: boolean): Expectation =>
  ({ amounts }) => ({ type: 'touch', family: 'curve', provided: { isAdded, amounts: [...amounts] } })

export const EXPECTED_EVENTS: ExpectedEvents = {
  curve: {
    TokenExchange: exchange('coin'),
    TokenExchangeUnderlying: exchange('underlying'),
    AddLiquidity: provided(true),
    RemoveLiquidity: provided(false),
    RemoveLiquidityImbalance: provided(false),
    RemoveLiquidityOne: ({ coin, amount, adminFee }) => {
      const isCoin = coin !== undefined && adminFee === undefined && coin >= 0n && coin <= LAST_COIN
      return removed(isCoin ? [...Array(Number(coin)).fill(0n), amount] : null)
    },
    ...touches(
      'curve',
      ...['DonateAdminFees', 'RampA', 'StopRampA', 'NewFee', 'ApplyNewFee', 'NewParameters', 'Kill', 'Unkill'],
      ...['Paused', 'Unpaused'],
      ...['ChangePriceDiffThreshold', 'SetSkipPriceDiff', 'ChangeOracle'],
      ...['ClaimAdminFee', 'RampAgamma', 'Donation', 'SetPeriphery', 'SetPolicyContract'],
    ),
  },
  llamma: { TokenExchange: exchange('coin') },
}
