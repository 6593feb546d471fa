import {
  type Arguments,
  type Expectation,
  type ExpectedEvents,
  managed,
  managedTouch,
  packedSums,
} from '../../../test/random/expected-events.ts'
import {
  keyOf,
  managedInitialize,
  managedSwap,
  modifyLiquidity,
  protocolFeeUpdated,
} from '../uniswap-v4/expected-events.ts'

const infinityKey = (args: Arguments, tickSpacing: number | null) => ({
  ...keyOf(args),
  parameters: args.parameters,
  tickSpacing,
})
const touch: Expectation = ({ id }) => managedTouch(id)
const binsOf =
  (isAdded: boolean): Expectation =>
  ({ id, amounts }) => ({ ...managedTouch(id), provided: { isAdded, amounts: packedSums(amounts) } })
const fees: Readonly<Record<string, Expectation>> = {
  ProtocolFeeUpdated: protocolFeeUpdated,
  DynamicLPFeeUpdated: ({ id }) => ({ type: 'fee', ...managed(id), change: { exact: false } }),
}

export const EXPECTED_EVENTS: ExpectedEvents = {
  'pancakeswap-infinity-cl': {
    Swap: managedSwap,
    Initialize: (args) =>
      managedInitialize(args, infinityKey(args, Number(BigInt.asIntN(24, BigInt(args.parameters) >> 16n)))),
    ModifyLiquidity: modifyLiquidity,
    ...fees,
  },
  'pancakeswap-infinity-bin': {
    Swap: (args) => ({ ...managedSwap(args), state: null }),
    Initialize: (args) => ({ type: 'created', ...managed(args.id), key: infinityKey(args, null) }),
    Mint: binsOf(true),
    Burn: binsOf(false),
    Donate: touch,
    ...fees,
  },
}
