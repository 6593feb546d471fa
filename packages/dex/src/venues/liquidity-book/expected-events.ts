import { coins, type ExpectedEvents, exchanged, lower, touches } from '../../../test/random/expected-events.ts'

const halves = (word: string) => [BigInt.asUintN(128, BigInt(word)), BigInt(word) >> 128n] as const

export const EXPECTED_EVENTS: ExpectedEvents = {
  'liquidity-book': {
    ...touches(
      'liquidity-book',
      ...['DepositedToBins', 'WithdrawnFromBins', 'StaticFeeParametersSet', 'HooksParametersSet', 'FlashLoan'],
      'ForcedDecay',
    ),
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
