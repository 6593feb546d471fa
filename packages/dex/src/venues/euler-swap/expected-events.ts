import { type ExpectedEvents, exchangedBetween, lower } from '../../../test/random/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = {
  'euler-swap': {
    Swap: (args) => {
      const { fee0 = 0n, fee1 = 0n } = args
      const amount0 = BigInt(args.amount0In + fee0 - args.amount0Out)
      const amount1 = BigInt(args.amount1In + fee1 - args.amount1Out)
      if ([amount0, amount1].some((amount) => amount >= 2n ** 256n)) return null
      const exchange = exchangedBetween('euler-swap', amount0, amount1)
      return exchange && { ...exchange, recipient: lower(args.to) }
    },
  },
}
