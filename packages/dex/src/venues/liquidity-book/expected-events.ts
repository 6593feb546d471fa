import {
  coins,
  type Expectation,
  type ExpectedEvents,
  exchanged,
  halves,
  lower,
  packedSums,
  touches,
} from '../../../test/random/expected-events.ts'

const binsOf =
  (isAdded: boolean): Expectation =>
  ({ amounts }) => ({
    type: 'touch',
    family: 'liquidity-book',
    provided: { isAdded, amounts: packedSums(amounts) },
  })

export const EXPECTED_EVENTS: ExpectedEvents = {
  'liquidity-book': {
    ...touches('liquidity-book', ...['StaticFeeParametersSet', 'HooksParametersSet', 'FlashLoan', 'ForcedDecay']),
    DepositedToBins: binsOf(true),
    WithdrawnFromBins: binsOf(false),
    Swap: (args) => {
      const [[inX, inY], [outX, outY]] = [halves(args.amountsIn), halves(args.amountsOut)]
      const [feeX, feeY] = halves(args.protocolFees)
      if (inX > 0n === inY > 0n) return null
      const [sold, bought] = coins(inX > 0n)
      const paid = inX > 0n ? inX + feeX : inY + feeY
      const exchange = exchanged('liquidity-book', sold, paid, bought, inX > 0n ? outY : outX)
      return { ...exchange, recipient: lower(args.to) }
    },
  },
}
