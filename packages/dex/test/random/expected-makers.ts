import type { PoolFamily } from '../../src/pool-event.ts'
import { coins, EMITTER, type Expectation, exchanged, lower, settled, token } from './expected-exchange.ts'

const WORD_END = 2n ** 256n
const touched = (family: PoolFamily) => () => ({ type: 'touch', family })

const makerTrade: Expectation = (args) =>
  settled('market-maker', args.sellerToken, args.sellerTokenAmount, args.buyerToken, args.buyerTokenAmount)

const liteChange: Expectation = ({ dexId }) => ({
  ...{ type: 'touch', family: 'managed', pool: `${EMITTER}${dexId.slice(2).padEnd(64, '0')}` },
})
const LITE_CHANGES = Object.fromEntries(
  [
    ...['LogDeposit', 'LogWithdraw', 'LogUpdateFeeAndRevenueCut', 'LogUpdateRebalancingStatus'],
    ...['LogUpdateRangePercents', 'LogUpdateShiftTime', 'LogUpdateCenterPriceLimits', 'LogUpdateCenterPriceAddress'],
  ].map((name) => [name, liteChange]),
)

/** What events of market makers and of pools with their own prices mean, by kind and event. */
export const POOLS_AND_MAKERS = {
  dodo: {
    DODOSwap: ({ fromToken, toToken, fromAmount, toAmount }) => ({
      ...{ type: 'exchange', family: 'dodo', sold: token(fromToken), soldAmount: fromAmount },
      ...{ bought: token(toToken), boughtAmount: toAmount },
    }),
    BuyShares: touched('dodo'),
    SellShares: touched('dodo'),
    LpFeeRateChange: touched('dodo'),
    MtFeeRateChange: touched('dodo'),
    IChange: touched('dodo'),
    DODOFlashLoan: touched('dodo'),
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
    File: touched('maker-psm'),
    Fill: touched('maker-psm'),
    Trim: touched('maker-psm'),
    Chug: touched('maker-psm'),
  },
  'market-maker': {
    TesseraTrade: (args) => settled('market-maker', args.tokenIn, args.amountIn, args.tokenOut, args.amountOut),
    ElfomoTrade: (args) => settled('market-maker', args.fromToken, args.fromAmount, args.toToken, args.toAmount),
    FermiSwap: (args) => settled('market-maker', args.tokenIn, args.amountIn, args.tokenOut, args.amountOut),
    Swap: (args) => settled('market-maker', args.srcToken, args.srcAmount, args.destToken, args.destAmount),
    Swapped: (args) =>
      settled(
        'market-maker',
        ...([args.tokenIn ?? args.inAsset, args.amountIn ?? args.inAmount] as const),
        ...([args.tokenOut ?? args.outAsset, args.amountOut ?? args.outAmount] as const),
      ),
    RFQTrade: makerTrade,
    PAMMTrade: makerTrade,
    CoveSwapped: (args) => settled('market-maker', args.inAsset, args.inAmount, args.outAsset, args.outAmount),
  },
  metric: {
    Swap: (args) => {
      const packed = args.amountDeltas as bigint | undefined
      const delta0 = packed === undefined ? BigInt(args.amount0Delta) : BigInt.asIntN(128, packed / 2n ** 128n)
      const delta1 = packed === undefined ? BigInt(args.amount1Delta) : BigInt.asIntN(128, packed % 2n ** 128n)
      if (delta0 * delta1 >= 0n) return null
      const [sold, bought] = coins(delta0 > 0n)
      const exchange =
        delta0 > 0n
          ? exchanged('metric', sold, delta0, bought, -delta1)
          : exchanged('metric', sold, delta1, bought, -delta0)
      return { ...exchange, recipient: lower(args.recipient) }
    },
  },
  'velodrome-v2': {
    Swap: (args) => ({
      ...{ type: 'swap', family: 'pair', state: null, recipient: lower(args.to) },
      ...{ amount0: args.amount0In - args.amount0Out, amount1: args.amount1In - args.amount1Out },
    }),
    Sync: touched('pair'),
    SetPauseState: () => ({ type: 'dependency', family: 'pair' }),
  },
  'euler-swap': {
    Swap: (args) => {
      const amount0 = BigInt(args.amount0In + (args.fee0 ?? 0n) - args.amount0Out)
      const amount1 = BigInt(args.amount1In + (args.fee1 ?? 0n) - args.amount1Out)
      if (amount0 * amount1 >= 0n || [amount0, amount1].some((amount) => amount >= 2n ** 256n)) return null
      const [sold, bought] = coins(amount0 > 0n)
      const exchange =
        amount0 > 0n
          ? exchanged('euler-swap', sold, amount0, bought, -amount1)
          : exchanged('euler-swap', sold, amount1, bought, -amount0)
      return { ...exchange, recipient: lower(args.to) }
    },
  },
  ekubo: {
    PoolInitialized: ({ poolId, poolKey }) => {
      const { token0, token1, config } = poolKey
      const part = (from: number, to: number) => BigInt(`0x${config.slice(2 + from, 2 + to)}`)
      const rest = (part(40, 56) * 1_000_000n) % 2n ** 64n
      const fee = (part(40, 56) * 1_000_000n) / 2n ** 64n + (rest < 2n ** 63n ? 0n : 1n)
      const hooks = config.slice(0, 42)
      return {
        ...{ type: 'created', family: 'managed', pool: `${EMITTER}${poolId.slice(2)}` },
        key: {
          ...{ currency0: lower(token0), currency1: lower(token1), parameters: config, tickSpacing: null },
          ...{ fee: Number(fee), hooks },
        },
      }
    },
  },
  'fluid-lite': {
    ...LITE_CHANGES,
    LogSwap: ({ swapData, dexVariables }) => {
      const part = (word: bigint, from: bigint, bits: bigint) => (word / 2n ** from) % 2n ** bits
      const isFirstSold = part(swapData, 64n, 1n) === 1n
      const [sold, bought] = coins(isFirstSold)
      const scaled = (amount: bigint, at: bigint) => (amount * 10n ** part(dexVariables, at, 5n)) / 10n ** 9n
      const [soldAt, boughtAt] = isFirstSold ? ([126n, 131n] as const) : ([131n, 126n] as const)
      const id = part(swapData, 0n, 64n).toString(16).padStart(16, '0').padEnd(64, '0')
      return {
        ...{ type: 'exchange', family: 'managed', pool: `${EMITTER}${id}`, sold, bought },
        soldAmount: scaled(part(swapData, 65n, 60n), soldAt),
        boughtAmount: scaled(part(swapData, 125n, 60n), boughtAt),
      }
    },
  },
} satisfies Record<string, Record<string, Expectation>>
