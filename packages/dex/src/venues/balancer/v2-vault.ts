import { orNull, revert } from '../../maths/checked-words.ts'
import { divDown, mulDown, mulUp, ONE } from './fixed-point.ts'

/** A coin of a pool, as the vault of Balancer V2 and the pool hold it. */
export interface V2Coin {
  /** What the pool counts: cash, and what an asset manager holds. */
  total: bigint
  /** What the vault can pay. */
  cash: bigint
  /** Scales base units to 18 decimals, and by a rate: 18 decimals itself. */
  scaling: bigint
}

/** BalanceAllocation.toBalance: a total fits into 112 bits. */
const MOST = 2n ** 112n
/** Far above all scales and rates of pools; amounts of 112 bits scaled by it do not overflow. */
const MOST_SCALING = 2n ** 136n

export const V2_COIN_LENGTH = 3

/** Returns a coin from its values: total, cash, scaling; null if no pool can have them. */
export function v2CoinOf([total, cash, scaling]: readonly bigint[]): V2Coin | null {
  if (total === undefined || cash === undefined || scaling === undefined) return null
  if (cash < 0n || total < cash || total >= MOST || scaling <= 0n || scaling >= MOST_SCALING) return null
  return { total, cash, scaling }
}

export const isV2Fee = (fee: bigint | undefined): fee is bigint => fee !== undefined && fee >= 0n && fee < ONE

/**
 * Returns what the vault pays for an input, or null if it reverts: BaseMinimalSwapInfoPool.onSwap and
 * BaseGeneralPool.onSwap, then the vault's Swaps._swapWithPool. @param outputOf the pool's own maths, with 18 decimals
 */
export function v2AmountOut(
  { from, to }: { from: V2Coin; to: V2Coin },
  fee: bigint,
  amountIn: bigint,
  outputOf: (amountIn: bigint) => bigint,
): bigint | null {
  if (amountIn <= 0n || from.total + amountIn >= MOST) return null
  return orNull(() => {
    const input = amountIn - mulUp(amountIn, fee)
    const amountOut = divDown(outputOf(mulDown(input, from.scaling)), to.scaling)
    if (amountOut > to.cash) revert()
    return amountOut
  })
}

/** Returns a coin's whole balance with 18 decimals. */
export const v2Scaled = ({ total, scaling }: V2Coin): bigint => mulDown(total, scaling)
