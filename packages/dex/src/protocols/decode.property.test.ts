import { Interface } from 'ethers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ERC20_ASSET, valuesOf } from '../../test/random/abi-values.ts'
import {
  type Arguments,
  coins,
  EMITTER,
  type Expectation,
  exchanged,
  lower,
  settled,
  token,
} from '../../test/random/expected-exchange.ts'
import { POOLS_AND_MAKERS } from '../../test/random/expected-makers.ts'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import { DEX_KINDS, type DexKind } from '../pool.ts'
import type { PoolEvent } from '../pool-event.ts'
import { WITHOUT_TOPIC } from './protocol.ts'
import { decodersOf, protocolOf } from './registry.ts'

/**
 *   random arguments --ethers--> log --decoder, by slicing--> our event
 *                                 `---ethers, parseLog------> arguments --the table below--> the same event
 */
/** A contract; a manager's address, then an address or an id of 32 bytes. */
const POOL_BYTES = [20, 40, 52]
const PLACE = { pool: EMITTER, transactionIndex: 3, logIndex: 7 }

const concentrated = (told: Arguments) => ({
  kind: 'concentrated',
  sqrtPriceX96: told.sqrtPriceX96 ?? told.price,
  liquidity: told.liquidity,
  tick: Number(told.tick),
})
const feeChange = (change: object) => ({ type: 'fee', family: 'concentrated', change })

const pairs: Record<string, Expectation> = {
  Swap: (told) => ({
    ...{ type: 'swap', family: 'pair', state: null, recipient: lower(told.to) },
    ...{ amount0: told.amount0In - told.amount0Out, amount1: told.amount1In - told.amount1Out },
  }),
  Sync: ({ reserve0, reserve1 }) => ({ type: 'reserves', family: 'pair', reserve0, reserve1 }),
}

const liquidity = (told: Arguments, delta: bigint) => {
  const tickLower = Number(told.tickLower ?? told.bottomTick)
  const tickUpper = Number(told.tickUpper ?? told.topTick)
  if (tickLower === tickUpper) return feeChange({ exact: false })
  return { type: 'liquidity', family: 'concentrated', tickLower, tickUpper, delta }
}
const ranges: Record<string, Expectation> = {
  Swap: (told) => ({
    ...{ type: 'swap', family: 'concentrated', state: concentrated(told), recipient: lower(told.recipient) },
    ...{ amount0: told.amount0, amount1: told.amount1 },
  }),
  Initialize: ({ sqrtPriceX96, tick }) => ({
    ...{ type: 'initialize', family: 'concentrated', sqrtPriceX96, tick: Number(tick) },
  }),
  Mint: (told) => liquidity(told, told.amount),
  Burn: (told) => liquidity(told, -BigInt(told.amount ?? told.liquidityAmount)),
}
const algebra: Record<string, Expectation> = {
  ...ranges,
  Fee: ({ fee }) => feeChange({ zeroForOne: Number(fee), oneForZero: Number(fee) }),
}

const managed = (id: string) => ({ family: 'managed', pool: `${EMITTER}${id.slice(2)}` })
const keyOf = ({ currency0, currency1, hooks, fee }: Arguments) => ({
  ...{ currency0: lower(currency0), currency1: lower(currency1), hooks: lower(hooks), fee: Number(fee) },
})
const infinityKey = (told: Arguments, tickSpacing: number | null) => ({
  ...{ ...keyOf(told), parameters: told.parameters, tickSpacing },
})
const managedSwap: Expectation = (told) => ({
  ...{ type: 'swap', ...managed(told.id), amount0: -told.amount0, amount1: -told.amount1, state: concentrated(told) },
})
const modifyLiquidity: Expectation = (told) => ({
  ...{ type: 'liquidity', ...managed(told.id), delta: told.liquidityDelta },
  ...{ tickLower: Number(told.tickLower), tickUpper: Number(told.tickUpper) },
})
const managedInitialize = (told: Arguments, key: object) => ({
  ...{ type: 'initialize', ...managed(told.id), sqrtPriceX96: told.sqrtPriceX96, tick: Number(told.tick), key },
})

const LAST_COIN = 31n
const WORD_END = 2n ** 256n
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
const asset = { underlying: 0 }

const filledOrder: Expectation = (told) =>
  settled('zeroex', told.takerToken, told.takerTokenFilledAmount, told.makerToken, told.makerTokenFilledAmount)
/** An asset of 0x that is a token of ERC-20; null: another one. */
const assetToken = (asset: string) =>
  asset.length === 74 && asset.startsWith(ERC20_ASSET) ? `0x${asset.slice(-40)}` : null
const filledAssets: Expectation = (told) => {
  const [sold, bought] = [assetToken(told.takerAssetData), assetToken(told.makerAssetData)]
  if (sold === null || bought === null) return null
  return settled('zeroex-exchange', sold, told.takerAssetFilledAmount, bought, told.makerAssetFilledAmount)
}
const airswapTrade: Expectation = (told) =>
  settled('airswap', told.senderToken, told.senderAmount, told.signerToken, told.signerAmount)
const networkTrade =
  (kind: DexKind): Expectation =>
  (told) =>
    settled(kind, told.sourceToken, told.sourceAmount, told.targetToken, told.targetAmount)

const EXPECTED: Record<DexKind, Record<string, Expectation>> = {
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
    Initialize: (told) => managedInitialize(told, { ...keyOf(told), tickSpacing: Number(told.tickSpacing) }),
    ModifyLiquidity: modifyLiquidity,
    ProtocolFeeUpdated: ({ id, protocolFee }) => ({
      ...{ type: 'protocol-fee', ...managed(id), protocolFee: Number(protocolFee) },
    }),
  },
  'pancakeswap-infinity-cl': {
    Swap: managedSwap,
    Initialize: (told) =>
      managedInitialize(told, infinityKey(told, Number(BigInt.asIntN(24, BigInt(told.parameters) >> 16n)))),
    ModifyLiquidity: modifyLiquidity,
  },
  'pancakeswap-infinity-bin': {
    Swap: (told) => ({ ...managedSwap(told), state: null }),
    Initialize: (told) => ({ type: 'created', ...managed(told.id), key: infinityKey(told, null) }),
  },
  curve: { TokenExchange: curveExchange('coin'), TokenExchangeUnderlying: curveExchange('underlying') },
  'balancer-v2': {
    Swap: ({ poolId, tokenIn, tokenOut, amountIn, amountOut }) =>
      vaultExchange(poolId, token(tokenIn), amountIn, token(tokenOut), amountOut),
  },
  'balancer-v3': {
    Swap: ({ pool, tokenIn, tokenOut, amountIn, amountOut }) =>
      vaultExchange(lower(pool), token(tokenIn), amountIn, token(tokenOut), amountOut),
    Wrap: ({ wrappedToken, depositedUnderlying, mintedShares }) =>
      vaultExchange(lower(wrappedToken), asset, depositedUnderlying, token(wrappedToken), mintedShares),
    Unwrap: ({ wrappedToken, burnedShares, withdrawnUnderlying }) =>
      vaultExchange(lower(wrappedToken), token(wrappedToken), burnedShares, asset, withdrawnUnderlying),
  },
  dodo: {
    DODOSwap: ({ fromToken, toToken, fromAmount, toAmount }) => ({
      ...{ type: 'exchange', family: 'dodo', sold: token(fromToken), soldAmount: fromAmount },
      ...{ bought: token(toToken), boughtAmount: toAmount },
    }),
  },
  'balancer-v1': {
    LOG_SWAP: (told) =>
      exchanged('balancer-v1', token(told.tokenIn), told.tokenAmountIn, token(told.tokenOut), told.tokenAmountOut),
  },
  'maverick-v1': {
    Swap: (told) => {
      const [sold, bought] = coins(told.tokenAIn)
      const exchange = exchanged('maverick-v1', sold, told.amountIn, bought, told.amountOut)
      return { ...exchange, recipient: lower(told.recipient) }
    },
  },
  'maverick-v2': {
    PoolSwap: (told) => {
      const [sold, bought] = coins(told.params.tokenAIn)
      const exchange = exchanged('maverick-v2', sold, told.amountIn, bought, told.amountOut)
      return { ...exchange, recipient: lower(told.recipient) }
    },
  },
  fluid: {
    Swap: ({ swap0to1, amountIn, amountOut, to }) => {
      const [sold, bought] = coins(swap0to1)
      return { ...exchanged('fluid', sold, amountIn, bought, amountOut), recipient: lower(to) }
    },
  },
  solidly: { Swap: pairs.Swap ?? (() => null) },
  'solidly-v3': ranges,
  'algebra-directional': ranges,
  'kyberswap-classic': {
    Swap: (told) => ({ ...pairs.Swap?.(told), family: 'kyberswap-classic' }),
  },
  'liquidity-book': {
    Swap: (told) => {
      const halves = (word: string) => [BigInt.asUintN(128, BigInt(word)), BigInt(word) >> 128n] as const
      const [[inX = 0n, inY = 0n], [outX, outY]] = [halves(told.amountsIn), halves(told.amountsOut)]
      const [feeX, feeY] = halves(told.protocolFees)
      if (inX > 0n === inY > 0n) return null
      const [sold, bought] = coins(inX > 0n)
      const paid = inX > 0n ? inX + feeX : inY + feeY
      const exchange = exchanged('liquidity-book', sold, paid, bought, inX > 0n ? outY : outX)
      return { ...exchange, recipient: lower(told.to) }
    },
  },
  'maker-psm': {
    SellGem: ({ value, fee }) => {
      const [dai, [sold, bought]] = [value * 10n ** 12n - fee, coins(true)]
      return dai < 0n || dai >= WORD_END ? null : exchanged('maker-psm', sold, value, bought, dai)
    },
    BuyGem: ({ value, fee }) => {
      const [dai, [sold, bought]] = [BigInt(value * 10n ** 12n + fee), coins(false)]
      return dai >= WORD_END ? null : exchanged('maker-psm', sold, dai, bought, value)
    },
  },
  hashflow: {
    Trade: (told) => settled('hashflow', told.baseToken, told.baseTokenAmount, told.quoteToken, told.quoteTokenAmount),
  },
  zeroex: { RfqOrderFilled: filledOrder, OtcOrderFilled: filledOrder, LimitOrderFilled: filledOrder },
  'bancor-v2': {
    Conversion: (told) => settled('bancor-v2', told.fromToken, told.fromAmount, told.toToken, told.toAmount),
  },
  'bancor-v3': { TokensTraded: networkTrade('bancor-v3') },
  carbon: { TokensTraded: networkTrade('carbon') },
  woofi: {
    WooSwap: (told) => settled('woofi', told.fromToken, told.fromAmount, told.toToken, told.toAmount),
  },
  'kyberswap-elastic': ranges,
  ...POOLS_AND_MAKERS,
  'zeroex-exchange': { Fill: filledAssets },
  airswap: { Swap: airswapTrade, SwapERC20: airswapTrade },
  tokenlon: {
    FillOrder: (told) =>
      settled('tokenlon', told.takerAssetAddr, told.takerAssetAmount, told.makerAssetAddr, told.makerAssetAmount),
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
    expect(new Set(events.map(({ event }) => event.name))).toEqual(new Set(Object.keys(EXPECTED[kind])))
    const topics = [...decoders.keys()].filter((topic) => topic !== WITHOUT_TOPIC)
    expect(new Set(topics)).toEqual(new Set(events.map(({ event }) => event.topicHash)))
  })

  test.each(events.map((of) => [of.event.format('full'), of] as const))('%s', (_, { abi, event }) => {
    fc.assert(
      fc.property(fc.tuple(...event.inputs.map(valuesOf)), (values) => {
        const { topics, data } = abi.encodeEventLog(event, values)
        const log: Log = { address: EMITTER, topics: topics as Hex[], data: data as Hex, ...PLACE }
        const told = abi.parseLog(log)?.args.toObject() ?? {}
        const decode = (one: Log): PoolEvent | null | undefined => decoders.get(one.topics[0] ?? '0x')?.(one)
        const expected = EXPECTED[kind][event.name]?.(told)
        const decoded = decode(log)
        expect(decoded).toEqual(expected && withPlace(expected))
        if (decoded) expect(POOL_BYTES).toContain((decoded.pool.length - 2) / 2)
        for (const broken of inOtherShapes(log)) expect(decode(broken)).toBeNull()
      }),
      { numRuns: 25 },
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
