import {
  type Arguments,
  dependencies,
  type ExpectedEvents,
  exchanged,
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
    ...touchesBy('poolId', 'PoolBalanceChanged', 'PoolBalanceManaged', 'TokensRegistered', 'TokensDeregistered'),
    ...dependencies('managed', 'PausedStateChanged', 'SwapFeePercentageChanged', 'RecoveryModeStateChanged'),
  },
  'balancer-v3': {
    Swap: ({ pool, tokenIn, tokenOut, amountIn, amountOut }) =>
      managedExchange(pool, token(tokenIn), amountIn, token(tokenOut), amountOut),
    Wrap: ({ wrappedToken, depositedUnderlying, mintedShares }) =>
      managedExchange(wrappedToken, asset, depositedUnderlying, token(wrappedToken), mintedShares),
    Unwrap: ({ wrappedToken, burnedShares, withdrawnUnderlying }) =>
      managedExchange(wrappedToken, token(wrappedToken), burnedShares, asset, withdrawnUnderlying),
    ...touchesBy(
      'pool',
      ...['LiquidityAdded', 'LiquidityRemoved', 'PoolPausedStateChanged', 'SwapFeePercentageChanged'],
      ...['PoolRecoveryModeStateChanged', 'AggregateYieldFeePercentageChanged', 'VaultAuxiliary'],
    ),
    ...touchesBy('wrappedToken', 'LiquidityAddedToBuffer', 'LiquidityRemovedFromBuffer'),
    ...dependencies('managed', 'VaultPausedStateChanged', 'VaultBuffersPausedStateChanged'),
  },
}
