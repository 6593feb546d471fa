import { MAX_UINT256 } from '../../abi/words.ts'

/** One token's amounts with twelve decimals, and the conversion to them. */
export interface FluidCoin {
  numerator: bigint
  denominator: bigint
  collateral: bigint
  collateralImaginary: bigint
  debt: bigint
  debtImaginary: bigint
  /** Base units that the Liquidity layer can pay from collateral; `borrowable` is the same for debt. */
  withdrawable: bigint
  borrowable: bigint
}

export interface FluidState {
  variables: bigint
  variables2: bigint
  centerPrice: bigint
  coins: readonly [FluidCoin, FluidCoin]
}

const COIN_VALUES = 8
/** Far above any reserve; the product of two reserves and 10^18 fits a word. */
const MAX_AMOUNT = 2n ** 98n

export function fluidValues({ variables, variables2, centerPrice, coins }: FluidState): bigint[] {
  return [variables, variables2, centerPrice, ...coins.flatMap(valuesOfCoin)]
}

function valuesOfCoin(coin: FluidCoin): bigint[] {
  const { numerator, denominator, collateral, collateralImaginary, debt, debtImaginary } = coin
  const { withdrawable, borrowable } = coin
  return [numerator, denominator, collateral, collateralImaginary, debt, debtImaginary, withdrawable, borrowable]
}

export function fluidState(values: readonly bigint[]): FluidState | null {
  const [variables = 0n, variables2 = 0n, centerPrice = 0n, ...rest] = values
  if (rest.length !== 2 * COIN_VALUES || values.some((value) => value < 0n || value > MAX_UINT256)) return null
  const coins = [coinOf(rest.slice(0, COIN_VALUES)), coinOf(rest.slice(COIN_VALUES))] as const
  const [first, second] = coins
  const isPossible = centerPrice > 0n && centerPrice < 2n ** 128n && first !== null && second !== null
  return isPossible ? { variables, variables2, centerPrice, coins: [first, second] } : null
}

function coinOf(values: readonly bigint[]): FluidCoin | null {
  const [numerator = 0n, denominator = 0n, collateral = 0n, collateralImaginary = 0n] = values
  const [debt = 0n, debtImaginary = 0n, withdrawable = 0n, borrowable = 0n] = values.slice(4)
  const reserves = [collateral, collateralImaginary, debt, debtImaginary]
  if (reserves.some((reserve) => reserve >= MAX_AMOUNT)) return null
  if (![numerator, denominator].every((factor) => factor > 0n && factor <= 10n ** 18n)) return null
  return { numerator, denominator, collateral, collateralImaginary, debt, debtImaginary, withdrawable, borrowable }
}
