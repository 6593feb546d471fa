import type { FormulaKind, PoolFormula } from '../../maths/formula.ts'
import { present } from '../../present.ts'

/** PackedTokenBalance: balances fit 128 bits. */
const MAX_BALANCE = 2n ** 128n - 1n
const NOTHING = { rate: 0, depth: 0 }

export interface Preview {
  amount: bigint
  result: bigint
}

/**
 * Computes a wrapper's preview of an amount from that of a large amount, assuming a fixed rate and rounding down.
 * Returns null if the large result has too few digits.
 */
export function previewed({ amount: large, result }: Preview, amount: bigint): bigint | null {
  const lower = (amount * result) / large
  // The rate is below (result + 1) / large.
  const upper = (amount * (result + 1n) - 1n) / large
  return lower === upper ? lower : null
}

/**
 * Buffers of Balancer V3, up to the amounts that their balances can pay: Vault.erc4626BufferWrapOrUnwrap, exact input.
 * Coin 0 is the wrapper, coin 1 its asset. `values`:
 * 1. minimum wrap amount;
 * 2. the buffer's assets and wrappers;
 * 3. a large amount, its `previewDeposit` and its `previewRedeem`.
 */
export const balancerV3Buffer: FormulaKind = { name: 'balancer-v3-buffer', of: formulaOf, work: 10, gas: 150_000 }

function formulaOf(values: readonly bigint[]): PoolFormula | null {
  const [minWrap, assets, wrappers, amount, deposited, redeemed] = values
  if (minWrap === undefined || assets === undefined || wrappers === undefined || amount === undefined) return null
  if (deposited === undefined || redeemed === undefined || values.length !== 6) return null
  if (minWrap < 2n || assets < 0n || assets > MAX_BALANCE || wrappers < 0n || wrappers > MAX_BALANCE) return null
  if (amount <= 0n || deposited <= 0n || redeemed <= 0n) return null
  const balances = [wrappers, assets]
  const previews = [redeemed, deposited].map((result) => ({ amount, result }))
  const previewOf = (from: number, to: number) => (from + to === 1 ? (previews[from] ?? null) : null)
  return {
    balances,
    amountOut(from, to, amountIn) {
      const preview = previewOf(from, to)
      if (preview === null || amountIn < minWrap || amountIn + present(balances[from]) > MAX_BALANCE) return null
      // The vault subtracts one unit from the amount and one from the result, because wrappers round.
      const result = previewed(preview, amountIn - 1n)
      if (result === null || result - 1n < minWrap || result - 1n > present(balances[to])) return null
      return result - 1n
    },
    bound(from, to) {
      const preview = previewOf(from, to)
      return preview === null ? NOTHING : { rate: Number(preview.result + 1n) / Number(amount), depth: 0 }
    },
  }
}
