import { orNull, revert } from '../../maths/checked-words.ts'
import { divDown, mulDown, mulUp, ONE } from './fixed-point.ts'

export interface V2Coin {
  /** Cash plus the amount that an asset manager holds. */
  total: bigint
  /** The amount that the vault can pay. */
  cash: bigint
  /** Factor from base units to 18 decimals times the coin's rate, itself with 18 decimals. */
  scaling: bigint
}

/** BalanceAllocation.toBalance: totals fit 112 bits. */
const MAX_BALANCE = 2n ** 112n
/** Far above any scale or rate; its product with 112-bit amounts fits 256 bits. */
const MAX_SCALING = 2n ** 136n

export const V2_COIN_LENGTH = 3

export function v2CoinOf([total, cash, scaling]: readonly bigint[]): V2Coin | null {
  if (total === undefined || cash === undefined || scaling === undefined) return null
  if (cash < 0n || total < cash || total >= MAX_BALANCE || scaling <= 0n || scaling >= MAX_SCALING) return null
  return { total, cash, scaling }
}

export const isV2Fee = (fee: bigint | undefined): fee is bigint => fee !== undefined && fee >= 0n && fee < ONE

/**
 * Returns the output, or null if the vault reverts: BaseMinimalSwapInfoPool.onSwap or BaseGeneralPool.onSwap, then
 * Swaps._swapWithPool.
 * @param outputOf the pool's maths, with 18 decimals
 */
export function v2AmountOut(
  { from, to }: { from: V2Coin; to: V2Coin },
  fee: bigint,
  amountIn: bigint,
  outputOf: (amountIn: bigint) => bigint,
): bigint | null {
  if (amountIn <= 0n || from.total + amountIn >= MAX_BALANCE) return null
  return orNull(() => {
    const input = amountIn - mulUp(amountIn, fee)
    const amountOut = divDown(outputOf(mulDown(input, from.scaling)), to.scaling)
    if (amountOut > to.cash) revert()
    return amountOut
  })
}

/** Returns a coin's total with 18 decimals. */
export const v2Scaled = ({ total, scaling }: V2Coin): bigint => mulDown(total, scaling)
