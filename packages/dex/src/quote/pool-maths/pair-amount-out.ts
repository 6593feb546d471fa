import { FEE_UNITS } from '../../pool-state.ts'

/**
 * What a Uniswap V2 style pair pays for `amountIn`, in base units, rounded down: `UniswapV2Library.getAmountOut` with
 * the fee in millionths (3000 is Uniswap's 997/1000, 2500 PancakeSwap's 9975/10000: equal fractions, equal result).
 * Null where the contract reverts: nothing goes in, or a reserve is empty.
 */
export function pairAmountOut(amountIn: bigint, reserveIn: bigint, reserveOut: bigint, fee: bigint): bigint | null {
  if (amountIn <= 0n || reserveIn <= 0n || reserveOut <= 0n) return null
  const lessFee = amountIn * (FEE_UNITS - fee)
  return (lessFee * reserveOut) / (reserveIn * FEE_UNITS + lessFee)
}
