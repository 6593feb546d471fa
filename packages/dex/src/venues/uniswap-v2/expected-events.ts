import { type Expectation, type ExpectedEvents, lower } from '../../../test/random/expected-events.ts'

export const pairSwap: Expectation = (args) => ({
  type: 'swap',
  family: 'pair',
  state: null,
  recipient: lower(args.to),
  amount0: args.amount0In - args.amount0Out,
  amount1: args.amount1In - args.amount1Out,
})

export const EXPECTED_EVENTS: ExpectedEvents = {
  'uniswap-v2': {
    Swap: pairSwap,
    Sync: ({ reserve0, reserve1 }) => ({ type: 'reserves', family: 'pair', reserve0, reserve1 }),
  },
}
