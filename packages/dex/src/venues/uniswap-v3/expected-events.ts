import { type Arguments, type Expectation, type ExpectedEvents, lower } from '../../../test/random/expected-events.ts'

export const concentrated = (args: Arguments) => ({
  kind: 'concentrated',
  sqrtPriceX96: args.sqrtPriceX96 ?? args.price,
  liquidity: args.liquidity,
  tick: Number(args.tick),
})
export const feeChange = (change: object) => ({ type: 'fee', family: 'concentrated', change })

const liquidity = (args: Arguments, delta: bigint) => {
  const tickLower = Number(args.tickLower ?? args.bottomTick)
  const tickUpper = Number(args.tickUpper ?? args.topTick)
  if (tickLower === tickUpper) return feeChange({ exact: false })
  const amounts = [args.amount0, args.amount1]
  return { type: 'liquidity', family: 'concentrated', tickLower, tickUpper, delta, amounts }
}

/** Also for forks that use other names for a price or a position. */
export const ranges: Readonly<Record<string, Expectation>> = {
  Swap: (args) => ({
    type: 'swap',
    family: 'concentrated',
    state: concentrated(args),
    recipient: lower(args.recipient),
    amount0: args.amount0,
    amount1: args.amount1,
  }),
  Initialize: ({ sqrtPriceX96, tick }) => ({
    type: 'initialize',
    family: 'concentrated',
    sqrtPriceX96,
    tick: Number(tick),
  }),
  Mint: (args) => liquidity(args, args.amount),
  Burn: (args) => liquidity(args, -BigInt(args.amount ?? args.liquidityAmount)),
}

export const EXPECTED_EVENTS: ExpectedEvents = { 'uniswap-v3': ranges, 'pancakeswap-v3': ranges, 'solidly-v3': ranges }
