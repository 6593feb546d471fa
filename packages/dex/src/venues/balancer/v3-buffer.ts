import type { FormulaKind, PoolFormula } from '../../maths/formula.ts'
import { present } from '../../present.ts'

/** PackedTokenBalance: balances fit 128 bits. */
const MOST = 2n ** 128n - 1n
const NOTHING = { rate: 0, depth: 0 }

/** A wrapper's preview of a large amount, from which smaller ones follow. */
export interface Preview {
  amount: bigint
  result: bigint
}

/**
 * Returns a wrapper's preview, assuming a fixed rate rounded down, to about the digits of the large result. Null if
 * these do not decide.
 */
export function previewed({ amount: large, result }: Preview, amount: bigint): bigint | null {
  const least = (amount * result) / large
  // The rate is below (result + 1) / large.
  const most = (amount * (result + 1n) - 1n) / large
  return least === most ? least : null
}

/**
 * Buffers of Balancer V3, as far as their balances pay: Vault.erc4626BufferWrapOrUnwrap, exact in. Coin 0 is the
 * wrapper, coin 1 its asset. `values`:
 * 1. least amount of a wrap;
 * 2. the buffer's assets and wrappers;
 * 3. a large amount and its `previewDeposit` and `previewRedeem`.
 */
export const balancerV3Buffer: FormulaKind = { name: 'balancer-v3-buffer', of, work: 10, gas: 150_000 }

function of(values: readonly bigint[]): PoolFormula | null {
  const [least, assets, wrappers, amount, deposited, redeemed] = values
  if (least === undefined || assets === undefined || wrappers === undefined || amount === undefined) return null
  if (deposited === undefined || redeemed === undefined || values.length !== 6) return null
  if (least < 2n || assets < 0n || assets > MOST || wrappers < 0n || wrappers > MOST) return null
  if (amount <= 0n || deposited <= 0n || redeemed <= 0n) return null
  const balances = [wrappers, assets]
  const ways = [redeemed, deposited].map((result) => ({ amount, result }))
  const wayOf = (from: number, to: number) => (from + to === 1 ? (ways[from] ?? null) : null)
  return {
    balances,
    amountOut(from, to, amountIn) {
      const way = wayOf(from, to)
      if (way === null || amountIn < least || amountIn + present(balances[from]) > MOST) return null
      // The vault subtracts a unit from amount and result, against wrapper rounding.
      const result = previewed(way, amountIn - 1n)
      if (result === null || result - 1n < least || result - 1n > present(balances[to])) return null
      return result - 1n
    },
    bound(from, to) {
      const way = wayOf(from, to)
      return way === null ? NOTHING : { rate: Number(way.result + 1n) / Number(amount), depth: 0 }
    },
  }
}
