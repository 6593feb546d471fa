import { type Arguments, coins, type ExpectedEvents, exchanged, lower } from '../../../test/random/expected-events.ts'

const swap = (kind: string, args: Arguments, isFirstSold: boolean) => {
  const [sold, bought] = coins(isFirstSold)
  return { ...exchanged(kind, sold, args.amountIn, bought, args.amountOut), recipient: lower(args.recipient) }
}

export const EXPECTED_EVENTS: ExpectedEvents = {
  'maverick-v1': { Swap: (args) => swap('maverick-v1', args, args.tokenAIn) },
  'maverick-v2': { PoolSwap: (args) => swap('maverick-v2', args, args.params.tokenAIn) },
}
