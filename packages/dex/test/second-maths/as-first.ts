import type { PoolFormula } from '../../src/maths/formula.ts'
import { type CryptoInvariantName, cryptoValues } from '../../src/venues/curve/crypto/crypto-pools.ts'
import { stableValues } from '../../src/venues/curve/stable/curve-stable.ts'
import { infinityBinValues } from '../../src/venues/infinity/bin-quote.ts'
import { liquidityBookValues } from '../../src/venues/liquidity-book/quote.ts'
import { formulaKind } from '../../src/venues/registry.ts'
import type { Bin, BookPair, InfinityBinPool } from './bin-swap.ts'
import type { ComposableStablePool } from './composable-stable.ts'
import type { CryptoPool, CryptoVersion } from './crypto-swap.ts'
import type { StableSwapPool } from './stable-swap.ts'

/** Converts the pools of this folder to the market's formulas. Returns null if a formula refuses a pool. */

function formulaOf(name: string, values: readonly bigint[]): PoolFormula | null {
  return formulaKind(name)?.of(values) ?? null
}

const ROUNDINGS = { plain: 'each', plusOne: 'each-plus-one', two: 'last', ng: 'last' } as const

export function firstStableSwap(pool: StableSwapPool): PoolFormula | null {
  return formulaOf(
    'curve-stable',
    stableValues({
      amplification: pool.amp,
      precision: pool.aPrecision,
      rounding: ROUNDINGS[pool.invariant],
      keepsOne: pool.kept === 1n,
      prices: pool.hasOracle ? 'capped' : 'none',
      takesFee: pool.isFeeInCoinUnits ? 'after' : 'before',
      offPegMultiplier: pool.offpegFeeMultiplier ?? 0n,
      basis: null,
      ...{ fee: pool.fee, balances: [...pool.balances], rates: [...pool.rates] },
    }),
  )
}

const INVARIANTS: Readonly<Record<CryptoVersion, CryptoInvariantName>> = {
  tricrypto: 'tricrypto',
  two: 'crypto2',
  'tricrypto-ng': 'tricrypto-ng',
  'twocrypto-ng-2.0': 'twocrypto-2.0',
  'twocrypto-ng-2.1': 'twocrypto-2.1',
}

export function firstCrypto(pool: CryptoPool): PoolFormula | null {
  return formulaOf(
    'curve-crypto',
    cryptoValues({
      invariant: INVARIANTS[pool.version],
      rule: 'reducing',
      ...{ A: pool.ann, gamma: pool.gamma, D: pool.d ?? 10n ** 18n, isRamping: pool.d === null },
      ...{ midFee: pool.midFee, outFee: pool.outFee, feeGamma: pool.feeGamma, priceScales: pool.priceScale },
      ...{ precisions: pool.precisions, balances: pool.balances },
    }),
  )
}

const binsOf = (bins: readonly Bin[]) => bins.map(({ id, x, y }) => ({ id, reserve0: x, reserve1: y }))

export function firstInfinityBin(pool: InfinityBinPool): PoolFormula | null {
  const { lpFee, protocolFees } = pool
  const swapFee = (fee: bigint) => fee + lpFee - (fee * lpFee) / 1_000_000n
  const values = infinityBinValues({
    ...{ binStep: BigInt(pool.binStep), activeId: BigInt(pool.activeId), bins: binsOf(pool.bins) },
    ...{ fees: [swapFee(protocolFees[0]), swapFee(protocolFees[1])], shares: protocolFees },
  })
  return formulaOf('infinity-bin', values)
}

export function firstBook(pool: BookPair): PoolFormula | null {
  const values = liquidityBookValues({
    ...{ binStep: BigInt(pool.binStep), activeId: BigInt(pool.activeId), bins: binsOf(pool.bins) },
    ...{ baseFactor: pool.baseFactor, variableFeeControl: pool.variableFeeControl },
    ...{ maxVolatility: pool.maxVolatility, volatilityReference: pool.volatilityReference },
    ...{ idReference: BigInt(pool.idReference), protocolShare: pool.protocolShare },
    ...{ isLiquidityLimited: pool.hasLimit, totals: pool.reserves },
  })
  return formulaOf('liquidity-book', values)
}

/** The latest version of the pools' maths. */
const ROUNDS_DOWN = 1n

/** @param lent what an asset manager holds of each token */
export function firstComposable(pool: ComposableStablePool, lent?: readonly bigint[]): PoolFormula | null {
  const { balances, scalingFactors, amp, swapFee } = pool
  const coins = balances.flatMap((balance, coin) => [
    balance,
    balance - (lent?.[coin] ?? 0n),
    scalingFactors[coin] ?? 0n,
  ])
  return formulaOf('balancer-v2-stable', [ROUNDS_DOWN, amp, swapFee, ...coins])
}
