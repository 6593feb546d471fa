import { present } from '../../../present.ts'
import { A_MULTIPLIER, type Shape } from './invariant.ts'

/** Near balance, the rate depends on how far K0 is from 1; hence 36 digits. */
const K0_UNITS = 10n ** 36n

/** Returns the marginal rate on a CryptoSwap curve (`get_p` of CurveCryptoMathOptimized3). */
export function cryptoRate(
  { A, gamma: rawGamma }: Shape,
  balances: readonly bigint[],
  D: bigint,
  from: number,
  to: number,
): number {
  const coins = BigInt(balances.length)
  let K0 = K0_UNITS
  for (const balance of balances) K0 = (K0 * balance * coins) / D
  const gamma = Number(rawGamma) / 1e18
  const below1 = Number(K0_UNITS - K0) / 1e36
  // 2 K0^3 + (1 + gamma)^2 - K0^2 (3 + 2 gamma), rearranged to avoid cancellation near balance.
  const ownTerm = gamma ** 2 + 4 * gamma * below1 + below1 ** 2 * (3 - 2 * gamma) - 2 * below1 ** 3
  const perCoin = (Number(A) / Number(A_MULTIPLIER)) * gamma ** 2 * (1 - below1)
  const sold = Number(present(balances[from])) / Number(D)
  const bought = Number(present(balances[to])) / Number(D)
  return (bought * (ownTerm + perCoin * sold)) / (sold * (ownTerm + perCoin * bought))
}
