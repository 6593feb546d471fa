import { type Expectation, type ExpectedEvents, lower } from '../../../test/random/expected-events.ts'

export const pairSwap: Expectation = (args) => ({
  type: 'swap',
  family: 'pair',
  state: null,
  recipient: lower(args.to),
  amount0: args.amount0In - args.amount0Out,
  amount1: args.amount1In - args.amount1Out,
})

const provided =
  (isAdded: boolean): Expectation =>
  ({ amount0, amount1 }) => ({ type: 'provided', family: 'pair', provided: { isAdded, amounts: [amount0, amount1] } })

export const pairLiquidity = { Mint: provided(true), Burn: provided(false) }

export const EXPECTED_EVENTS: ExpectedEvents = {
  'uniswap-v2': {
    Swap: pairSwap,
    ...pairLiquidity,
    Sync: ({ reserve0, reserve1 }) => ({ type: 'reserves', family: 'pair', reserve0, reserve1 }),
  },
}
