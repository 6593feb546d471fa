import {
  type Arguments,
  type Expectation,
  type ExpectedEvents,
  lower,
  managed,
} from '../../../test/random/expected-events.ts'
import { concentrated } from '../uniswap-v3/expected-events.ts'

export const keyOf = ({ currency0, currency1, hooks, fee }: Arguments) => ({
  currency0: lower(currency0),
  currency1: lower(currency1),
  hooks: lower(hooks),
  fee: Number(fee),
})
export const managedSwap: Expectation = (args) => ({
  type: 'swap',
  ...managed(args.id),
  amount0: -args.amount0,
  amount1: -args.amount1,
  state: concentrated(args),
})
export const managedInitialize = (args: Arguments, key: object) => ({
  type: 'initialize',
  ...managed(args.id),
  sqrtPriceX96: args.sqrtPriceX96,
  tick: Number(args.tick),
  key,
})
export const modifyLiquidity: Expectation = (args) => ({
  type: 'liquidity',
  ...managed(args.id),
  delta: args.liquidityDelta,
  tickLower: Number(args.tickLower),
  tickUpper: Number(args.tickUpper),
})
export const protocolFeeUpdated: Expectation = ({ id, protocolFee }) => ({
  type: 'protocol-fee',
  ...managed(id),
  protocolFee: Number(protocolFee),
})

export const EXPECTED_EVENTS: ExpectedEvents = {
  'uniswap-v4': {
    Swap: managedSwap,
    Initialize: (args) => managedInitialize(args, { ...keyOf(args), tickSpacing: Number(args.tickSpacing) }),
    ModifyLiquidity: modifyLiquidity,
    ProtocolFeeUpdated: protocolFeeUpdated,
  },
}
