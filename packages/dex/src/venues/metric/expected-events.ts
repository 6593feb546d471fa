import { type ExpectedEvents, exchangedBetween, lower } from '../../../test/random/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = {
  metric: {
    Swap: (args) => {
      const packed = args.amountDeltas as bigint | undefined
      const delta0 = packed === undefined ? BigInt(args.amount0Delta) : BigInt.asIntN(128, packed / 2n ** 128n)
      const delta1 = packed === undefined ? BigInt(args.amount1Delta) : BigInt.asIntN(128, packed % 2n ** 128n)
      const exchange = exchangedBetween('metric', delta0, delta1)
      return exchange && { ...exchange, recipient: lower(args.recipient) }
    },
  },
}
