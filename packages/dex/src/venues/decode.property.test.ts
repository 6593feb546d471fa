import { Interface } from 'ethers'
import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { ERC20_ASSET, valuesOf } from '../../test/random/abi-values.ts'
import {
  type Arguments,
  coins,
  dependencies,
  EMITTER,
  type Expectation,
  exchanged,
  lower,
  settled,
  token,
  touches,
} from '../../test/random/expected-exchange.ts'
import { POOLS_AND_MAKERS } from '../../test/random/expected-makers.ts'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import type { PoolEvent } from '../pool-event.ts'
import { WITHOUT_TOPIC } from './protocol.ts'
import { DEX_KINDS, decodersOf, protocolOf } from './registry.ts'

/**
 *   random arguments --ethers--> log --decoder, by slicing--> our event
 *                                 `---ethers, parseLog------> arguments --the table below--> the same event
 */
/** A contract; a manager's address, then an address or an id of 32 bytes. */
const POOL_BYTES = [20, 40, 52]
const PLACE = { pool: EMITTER, transactionIndex: 3, logIndex: 7 }

const concentrated = (args: Arguments) => ({
  kind: 'concentrated',
  sqrtPriceX96: args.sqrtPriceX96 ?? args.price,
  liquidity: args.liquidity,
  tick: Number(args.tick),
})
const feeChange = (change: object) => ({ type: 'fee', family: 'concentrated', change })

const pairs: Record<string, Expectation> = {
  Swap: (args) => ({
    ...{ type: 'swap', family: 'pair', state: null, recipient: lower(args.to) },
    ...{ amount0: args.amount0In - args.amount0Out, amount1: args.amount1In - args.amount1Out },
  }),
  Sync: ({ reserve0, reserve1 }) => ({ type: 'reserves', family: 'pair', reserve0, reserve1 }),
}

const liquidity = (args: Arguments, delta: bigint) => {
  const tickLower = Number(args.tickLower ?? args.bottomTick)
  const tickUpper = Number(args.tickUpper ?? args.topTick)
  if (tickLower === tickUpper) return feeChange({ exact: false })
  return { type: 'liquidity', family: 'concentrated', tickLower, tickUpper, delta }
}
const ranges: Record<string, Expectation> = {
  Swap: (args) => ({
    ...{ type: 'swap', family: 'concentrated', state: concentrated(args), recipient: lower(args.recipient) },
    ...{ amount0: args.amount0, amount1: args.amount1 },
  }),
  Initialize: ({ sqrtPriceX96, tick }) => ({
    ...{ type: 'initialize', family: 'concentrated', sqrtPriceX96, tick: Number(tick) },
  }),
  Mint: (args) => liquidity(args, args.amount),
  Burn: (args) => liquidity(args, -BigInt(args.amount ?? args.liquidityAmount)),
}
const algebra: Record<string, Expectation> = {
  ...ranges,
  Fee: ({ fee }) => feeChange({ zeroForOne: Number(fee), oneForZero: Number(fee) }),
}

const managed = (id: string) => ({ family: 'managed', pool: `${EMITTER}${id.slice(2)}` })
const keyOf = ({ currency0, currency1, hooks, fee }: Arguments) => ({
  ...{ currency0: lower(currency0), currency1: lower(currency1), hooks: lower(hooks), fee: Number(fee) },
})
const infinityKey = (args: Arguments, tickSpacing: number | null) => ({
  ...{ ...keyOf(args), parameters: args.parameters, tickSpacing },
})
const managedSwap: Expectation = (args) => ({
  ...{ type: 'swap', ...managed(args.id), amount0: -args.amount0, amount1: -args.amount1, state: concentrated(args) },
})
const modifyLiquidity: Expectation = (args) => ({
  ...{ type: 'liquidity', ...managed(args.id), delta: args.liquidityDelta },
  ...{ tickLower: Number(args.tickLower), tickUpper: Number(args.tickUpper) },
})
const protocolFeeUpdated: Expectation = ({ id, protocolFee }) => ({
  ...{ type: 'protocol-fee', ...managed(id), protocolFee: Number(protocolFee) },
})
const managedTouch: Expectation = ({ id }) => ({ type: 'touch', ...managed(id) })
const dynamicFeeUpdated: Expectation = ({ id }) => ({ type: 'fee', ...managed(id), change: { exact: false } })
const managedInitialize = (args: Arguments, key: object) => ({
  ...{ type: 'initialize', ...managed(args.id), sqrtPriceX96: args.sqrtPriceX96, tick: Number(args.tick), key },
})

const LAST_COIN = 31n
const curveExchange =
  (place: 'coin' | 'underlying'): Expectation =>
  ({ sold_id: sold, tokens_sold: soldAmount, bought_id: bought, tokens_bought: boughtAmount }) => {
    if (sold < 0n || sold > LAST_COIN || bought < 0n || bought > LAST_COIN) return null
    return {
      ...{ type: 'exchange', family: 'curve', soldAmount, boughtAmount },
      ...{ sold: { [place]: Number(sold) }, bought: { [place]: Number(bought) } },
    }
  }
const vaultExchange = (id: string, sold: object, soldAmount: bigint, bought: object, boughtAmount: bigint) => ({
  ...{ type: 'exchange', ...managed(id), sold, soldAmount, bought, boughtAmount },
})
const touchOf = (id: string) => ({ type: 'touch', ...managed(lower(id)) })
const V2_TOUCHES = ['PoolBalanceChanged', 'PoolBalanceManaged', 'TokensRegistered', 'TokensDeregistered']
const V3_TOUCHES = [
  ...['LiquidityAdded', 'LiquidityRemoved', 'PoolPausedStateChanged', 'SwapFeePercentageChanged'],
  ...['PoolRecoveryModeStateChanged', 'AggregateYieldFeePercentageChanged', 'VaultAuxiliary'],
]
const asset = { underlying: 0 }

const filledOrder: Expectation = (args) =>
  settled('zeroex', args.takerToken, args.takerTokenFilledAmount, args.makerToken, args.makerTokenFilledAmount)
/** An asset of 0x that is a token of ERC-20; null: another one. */
const assetToken = (asset: string) =>
  asset.length === 74 && asset.startsWith(ERC20_ASSET) ? `0x${asset.slice(-40)}` : null
const filledAssets: Expectation = (args) => {
  const [sold, bought] = [assetToken(args.takerAssetData), assetToken(args.makerAssetData)]
  if (sold === null || bought === null) return null
  return settled('zeroex-exchange', sold, args.takerAssetFilledAmount, bought, args.makerAssetFilledAmount)
}
const airswapTrade: Expectation = (args) =>
  settled('airswap', args.senderToken, args.senderAmount, args.signerToken, args.signerAmount)
const networkTrade =
  (kind: string): Expectation =>
  (args) =>
    settled(kind, args.sourceToken, args.sourceAmount, args.targetToken, args.targetAmount)

const EXPECTED: Record<string, Record<string, Expectation>> = {
  'uniswap-v2': pairs,
  'uniswap-v3': ranges,
  'pancakeswap-v3': ranges,
  'algebra-v1': algebra,
  'algebra-v1.9': algebra,
  'algebra-integral': {
    ...algebra,
    PluginConfig: ({ newPluginConfig }) => feeChange({ exact: newPluginConfig % 2n === 0n }),
  },
  'uniswap-v4': {
    Swap: managedSwap,
    Initialize: (args) => managedInitialize(args, { ...keyOf(args), tickSpacing: Number(args.tickSpacing) }),
    ModifyLiquidity: modifyLiquidity,
    ProtocolFeeUpdated: protocolFeeUpdated,
  },
  'pancakeswap-infinity-cl': {
    Swap: managedSwap,
    Initialize: (args) =>
      managedInitialize(args, infinityKey(args, Number(BigInt.asIntN(24, BigInt(args.parameters) >> 16n)))),
    ModifyLiquidity: modifyLiquidity,
    ProtocolFeeUpdated: protocolFeeUpdated,
    DynamicLPFeeUpdated: dynamicFeeUpdated,
  },
  'pancakeswap-infinity-bin': {
    Swap: (args) => ({ ...managedSwap(args), state: null }),
    Initialize: (args) => ({ type: 'created', ...managed(args.id), key: infinityKey(args, null) }),
    ...{ Mint: managedTouch, Burn: managedTouch, Donate: managedTouch },
    ...{ ProtocolFeeUpdated: protocolFeeUpdated, DynamicLPFeeUpdated: dynamicFeeUpdated },
  },
  curve: {
    ...{ TokenExchange: curveExchange('coin'), TokenExchangeUnderlying: curveExchange('underlying') },
    ...touches('curve'),
  },
  'balancer-v2': {
    Swap: ({ poolId, tokenIn, tokenOut, amountIn, amountOut }) =>
      vaultExchange(poolId, token(tokenIn), amountIn, token(tokenOut), amountOut),
    ...Object.fromEntries(V2_TOUCHES.map((name) => [name, ({ poolId }: Arguments) => touchOf(poolId)])),
    ...dependencies('managed', 'PausedStateChanged', 'SwapFeePercentageChanged', 'RecoveryModeStateChanged'),
  },
  'balancer-v3': {
    Swap: ({ pool, tokenIn, tokenOut, amountIn, amountOut }) =>
      vaultExchange(lower(pool), token(tokenIn), amountIn, token(tokenOut), amountOut),
    Wrap: ({ wrappedToken, depositedUnderlying, mintedShares }) =>
      vaultExchange(lower(wrappedToken), asset, depositedUnderlying, token(wrappedToken), mintedShares),
    Unwrap: ({ wrappedToken, burnedShares, withdrawnUnderlying }) =>
      vaultExchange(lower(wrappedToken), token(wrappedToken), burnedShares, asset, withdrawnUnderlying),
    ...Object.fromEntries(V3_TOUCHES.map((name) => [name, ({ pool }: Arguments) => touchOf(pool)])),
    LiquidityAddedToBuffer: ({ wrappedToken }) => touchOf(wrappedToken),
    LiquidityRemovedFromBuffer: ({ wrappedToken }) => touchOf(wrappedToken),
    ...dependencies('managed', 'VaultPausedStateChanged', 'VaultBuffersPausedStateChanged'),
  },
  'balancer-v1': {
    LOG_SWAP: (args) =>
      exchanged('balancer-v1', token(args.tokenIn), args.tokenAmountIn, token(args.tokenOut), args.tokenAmountOut),
  },
  'maverick-v1': {
    Swap: (args) => {
      const [sold, bought] = coins(args.tokenAIn)
      const exchange = exchanged('maverick-v1', sold, args.amountIn, bought, args.amountOut)
      return { ...exchange, recipient: lower(args.recipient) }
    },
  },
  'maverick-v2': {
    PoolSwap: (args) => {
      const [sold, bought] = coins(args.params.tokenAIn)
      const exchange = exchanged('maverick-v2', sold, args.amountIn, bought, args.amountOut)
      return { ...exchange, recipient: lower(args.recipient) }
    },
  },
  fluid: {
    Swap: ({ swap0to1, amountIn, amountOut, to }) => {
      const [sold, bought] = coins(swap0to1)
      return { ...exchanged('fluid', sold, amountIn, bought, amountOut), recipient: lower(to) }
    },
  },
  solidly: { Swap: pairs.Swap ?? (() => null), Sync: () => ({ type: 'touch', family: 'pair' }) },
  'solidly-v3': ranges,
  'algebra-directional': ranges,
  'kyberswap-classic': {
    Swap: (args) => ({ ...pairs.Swap?.(args), family: 'kyberswap-classic' }),
  },
  'liquidity-book': {
    ...touches('liquidity-book'),
    Swap: (args) => {
      const halves = (word: string) => [BigInt.asUintN(128, BigInt(word)), BigInt(word) >> 128n] as const
      const [[inX = 0n, inY = 0n], [outX, outY]] = [halves(args.amountsIn), halves(args.amountsOut)]
      const [feeX, feeY] = halves(args.protocolFees)
      if (inX > 0n === inY > 0n) return null
      const [sold, bought] = coins(inX > 0n)
      const paid = inX > 0n ? inX + feeX : inY + feeY
      const exchange = exchanged('liquidity-book', sold, paid, bought, inX > 0n ? outY : outX)
      return { ...exchange, recipient: lower(args.to) }
    },
  },
  hashflow: {
    Trade: (args) => settled('hashflow', args.baseToken, args.baseTokenAmount, args.quoteToken, args.quoteTokenAmount),
  },
  zeroex: { RfqOrderFilled: filledOrder, OtcOrderFilled: filledOrder, LimitOrderFilled: filledOrder },
  'bancor-v2': {
    Conversion: (args) => settled('bancor-v2', args.fromToken, args.fromAmount, args.toToken, args.toAmount),
  },
  'bancor-v3': { TokensTraded: networkTrade('bancor-v3') },
  carbon: { TokensTraded: networkTrade('carbon') },
  woofi: {
    WooSwap: (args) => settled('woofi', args.fromToken, args.fromAmount, args.toToken, args.toAmount),
  },
  'kyberswap-elastic': ranges,
  ...POOLS_AND_MAKERS,
  'zeroex-exchange': { Fill: filledAssets },
  airswap: { Swap: airswapTrade, SwapERC20: airswapTrade },
  tokenlon: {
    FillOrder: (args) =>
      settled('tokenlon', args.takerAssetAddr, args.takerAssetAmount, args.makerAssetAddr, args.makerAssetAmount),
  },
}

describe.each(DEX_KINDS)('%s', (kind) => {
  const decoders = decodersOf([kind])
  const events = Object.keys(protocolOf(kind).events).map((fragment) => {
    const abi = new Interface([fragment])
    const [event] = abi.fragments.map((each) => abi.getEvent(each.format()))
    if (!event) throw new Error(`${fragment} is not an event`)
    return { abi, event }
  })

  test('has a case for each of its events', () => {
    expect(new Set(events.map(({ event }) => event.name))).toEqual(new Set(Object.keys(EXPECTED[kind] ?? {})))
    const topics = [...decoders.keys()].filter((topic) => topic !== WITHOUT_TOPIC)
    expect(new Set(topics)).toEqual(new Set(events.map(({ event }) => event.topicHash)))
  })

  test.each(events.map((of) => [of.event.format('full'), of] as const))('%s', (_, { abi, event }) => {
    fc.assert(
      fc.property(fc.tuple(...event.inputs.map(valuesOf)), (values) => {
        const { topics, data } = abi.encodeEventLog(event, values)
        const log: Log = { address: EMITTER, topics: topics as Hex[], data: data as Hex, ...PLACE }
        const args = abi.parseLog(log)?.args.toObject() ?? {}
        const decode = (one: Log): PoolEvent | null | undefined => decoders.get(one.topics[0] ?? '0x')?.(one)
        const expected = EXPECTED[kind]?.[event.name]?.(args)
        const decoded = decode(log)
        expect(decoded).toEqual(expected && withPlace(expected))
        if (decoded) expect(POOL_BYTES).toContain((decoded.pool.length - 2) / 2)
        for (const broken of inOtherShapes(log)) expect(decode(broken)).toBeNull()
      }),
      { numRuns: 10 * inject('scale') },
    )
  })
})

function withPlace(event: object): object {
  const { pool, transactionIndex, logIndex } = PLACE
  return { pool, ...event, transactionIndex, logIndex }
}

function inOtherShapes(log: Log): Log[] {
  const { topics, data } = log
  const [first = '0x', ...others] = topics
  return [
    { ...log, data: `${data}${'0'.repeat(64)}` },
    { ...log, data: `${data}00` },
    { ...log, data: data.length > 2 ? (data.slice(0, -64) as Hex) : `${data}11` },
    { ...log, topics: [...topics, `0x${'0'.repeat(64)}`] },
    ...(others.length > 0 ? [{ ...log, topics: [first, ...others.slice(1)] }] : []),
  ]
}
