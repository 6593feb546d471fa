import {
  coins,
  type Expectation,
  type ExpectedEvents,
  managedExchange,
  managedTouch,
} from '../../../test/random/expected-events.ts'

const change: Expectation = ({ dexId }) => managedTouch(dexId.padEnd(66, '0'))
const changes = [
  'LogDeposit',
  'LogWithdraw',
  'LogUpdateFeeAndRevenueCut',
  'LogUpdateRebalancingStatus',
  'LogUpdateRangePercents',
  'LogUpdateShiftTime',
  'LogUpdateCenterPriceLimits',
  'LogUpdateCenterPriceAddress',
]

export const EXPECTED_EVENTS: ExpectedEvents = {
  'fluid-lite': {
    ...Object.fromEntries(changes.map((name) => [name, change])),
    LogSwap: ({ swapData, dexVariables }) => {
      const part = (word: bigint, from: bigint, bits: bigint) => (word / 2n ** from) % 2n ** bits
      const isFirstSold = part(swapData, 64n, 1n) === 1n
      const [sold, bought] = coins(isFirstSold)
      const scaled = (amount: bigint, start: bigint) => (amount * 10n ** part(dexVariables, start, 5n)) / 10n ** 9n
      const [soldAt, boughtAt] = isFirstSold ? ([126n, 131n] as const) : ([131n, 126n] as const)
      const id = `0x${part(swapData, 0n, 64n).toString(16).padStart(16, '0').padEnd(64, '0')}`
      const soldAmount = scaled(part(swapData, 65n, 60n), soldAt)
      return managedExchange(id, sold, soldAmount, bought, scaled(part(swapData, 125n, 60n), boughtAt))
    },
  },
}
