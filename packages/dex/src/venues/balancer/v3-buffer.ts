import type { FormulaKind, PoolFormula } from '../../maths/formula.ts'
import { present } from '../../present.ts'

/** PackedTokenBalance: balances fit 128 bits. */
const MOST = 2n ** 128n - 1n
const NOTHING = { rate: 0, depth: 0 }

/** A wrapper's preview of a large amount, from which previews of smaller amounts follow. */
export interface Preview {
  amount: bigint
  result: bigint
}

/**
 * Computes a wrapper's preview of an amount from that of a large amount, assuming a fixed rate and rounding down.
 * Returns null if the large result has too few digits.
 */
export function previewed({ amount: large, result }: Preview, amount: bigint): bigint | null {
  const least = (amount * result) / large
  // The rate is below (result + 1) / large.
  const most = (amount * (result + 1n) - 1n) / large
  return least === most ? least : null
}

/**
 * Buffers of Balancer V3, up to the amounts that their balances can pay: Vault.erc4626BufferWrapOrUnwrap, exact input.
 * Coin 0 is the wrapper, coin 1 its asset. `values`:
 * 1. minimum wrap amount;
 * 2. the buffer's assets and wrappers;
 * 3. a large amount, its `previewDeposit` and its `previewRedeem`.
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
      // The vault subtracts one unit from the amount and one from the result, because wrappers round.
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
