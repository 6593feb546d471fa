import {
  type Arguments,
  dependencies,
  type ExpectedEvents,
  exchanged,
  lower,
  managedExchange,
  managedTouch,
  token,
} from '../../../test/random/expected-events.ts'

const asset = { underlying: 0 }
const touchesBy = (field: string, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, (args: Arguments) => managedTouch(args[field])]))

export const EXPECTED_EVENTS: ExpectedEvents = {
  'balancer-v1': {
    LOG_SWAP: (args) =>
      exchanged('balancer-v1', token(args.tokenIn), args.tokenAmountIn, token(args.tokenOut), args.tokenAmountOut),
  },
  'balancer-v2': {
    Swap: ({ poolId, tokenIn, tokenOut, amountIn, amountOut }) =>
      managedExchange(poolId, token(tokenIn), amountIn, token(tokenOut), amountOut),
    PoolBalanceChanged: ({ poolId, tokens, deltas }) => {
      const isAdded = deltas.some((delta: bigint) => delta > 0n)
      const isRemoved = deltas.some((delta: bigint) => delta < 0n)
      if (tokens.length !== deltas.length || isAdded === isRemoved) return managedTouch(poolId)
      const amounts = deltas.map((delta: bigint) => (isAdded ? delta : -delta))
      return { ...managedTouch(poolId), provided: { isAdded, amounts, tokens: tokens.map(lower) } }
    },
    ...touchesBy('poolId', 'PoolBalanceManaged', 'TokensRegistered', 'TokensDeregistered'),
    ...dependencies('managed', 'PausedStateChanged', 'SwapFeePercentageChanged', 'RecoveryModeStateChanged'),
  },
  'balancer-v3': {
    Swap: ({ pool, tokenIn, tokenOut, amountIn, amountOut }) =>
      managedExchange(pool, token(tokenIn), amountIn, token(tokenOut), amountOut),
    Wrap: ({ wrappedToken, depositedUnderlying, mintedShares }) =>
      managedExchange(wrappedToken, asset, depositedUnderlying, token(wrappedToken), mintedShares),
    LiquidityAdded: ({ pool, amountsAddedRaw }) => ({
      ...managedTouch(pool),
      provided: { isAdded: true, amounts: [...amountsAddedRaw] },
    }),
    LiquidityRemoved: ({ pool, amountsRemovedRaw }) => ({
      ...managedTouch(pool),
      provided: { isAdded: false, amounts: [...amountsRemovedRaw] },
    }),
    Unwrap: ({ wrappedToken, burnedShares, withdrawnUnderlying }) =>
      managedExchange(wrappedToken, token(wrappedToken), burnedShares, asset, withdrawnUnderlying),
    ...touchesBy(
      'pool',
      ...['PoolPausedStateChanged', 'SwapFeePercentageChanged', 'PoolRecoveryModeStateChanged'],
      ...['AggregateYieldFeePercentageChanged', 'VaultAuxiliary'],
    ),
    ...touchesBy('wrappedToken', 'LiquidityAddedToBuffer', 'LiquidityRemovedFromBuffer'),
    ...dependencies('managed', 'VaultPausedStateChanged', 'VaultBuffersPausedStateChanged'),
  },
}
