import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { recordedFormulas } from '../../../../test/formulas/recorded-formulas.ts'
import { upperBound } from '../../../maths/formula.ts'
import { orNull } from '../../../maths/integers.ts'
import { present } from '../../../present.ts'
import { type CryptoPoolState, cryptoPools, cryptoValues } from './crypto-pools.ts'
import { TRICRYPTO } from './first-invariants.ts'
import { WAD } from './invariant.ts'

/** The error of the contracts' Newton's method, as a fraction of D. */
const NOISE = 1e-13

const RUNS = 60 * inject('scale')

/** States of contracts in which A and gamma do not move. */
const states = present(recordedFormulas['curve-crypto'])
  .map(({ values }) => values.map(BigInt))
  .filter(([, , isRamping]) => isRamping === 0n)

/** Returns the contract's error in base units of a coin, plus two units for rounding. */
function noiseOf(values: readonly bigint[], coin: number): number {
  const [D = 0n, perCoin] = [values[5], values.slice(9)]
  const coins = (perCoin.length + 1) / 3
  const price = Number(coin === 0 ? WAD : perCoin[coin - 1]) / 1e18
  return 2 + (Number(D) * NOISE) / price / Number(perCoin[coins - 1 + coin])
}

/** In units of 10^-12. */
const BILLIONTH = 1_000n

/** Ascending amounts, in units of 10^-12 of the pool's balance. */
const amounts = fc
  .array(fc.double({ min: 0, max: 27, noNaN: true }), { minLength: 2, maxLength: 8 })
  .map((logs) => logs.sort((a, b) => a - b).map((log) => BigInt(Math.floor(Math.exp(log)))))

test('no amount exceeds its bound, and a greater input pays more, apart from the rounding of the contract', () => {
  let compared = 0
  fc.assert(
    fc.property(fc.constantFrom(...states), fc.nat(2), fc.nat(1), amounts, (values, first, second, parts) => {
      const maths = cryptoPools.of(values)
      const { balances, bound, amountOut } = present(maths)
      const [from, to] = [first % balances.length, (first + 1 + (second % (balances.length - 1))) % balances.length]
      const { rate, depth } = bound(from, to)
      const noise = noiseOf(values, to)
      let before = 0n
      for (const part of parts) {
        const sold = (present(balances[from]) * part) / 10n ** 12n + 1n
        const bought = amountOut(from, to, sold)
        if (bought === null) continue
        compared++
        // Below a billionth of the balance, the contract's error may pay more than the bound.
        if (part >= BILLIONTH) expect(Number(bought)).toBeLessThanOrEqual(upperBound(rate, depth, Number(sold)) + noise)
        // For large amounts the fee may rise faster than the amount.
        if (part < 10n ** 10n) expect(Number(before - bought)).toBeLessThanOrEqual(noise)
        before = bought
      }
    }),
    { numRuns: RUNS },
  )
  expect(compared).toBeGreaterThan(0)
})

test('a state whose rate has no value is not exchanged, and does not make the maths throw', () => {
  const values = [
    ...[0n, 1n, 0n, 2n, 0n, 0n, 41968544888769427165046648328598548244520580524974239116459037636721413235795n],
    ...[2n, 1n, 2n, 28n, 1n, 60n, 166548732664371626686261776029n, 24n, 543223768148819431759777058898n, 1n],
  ]
  expect(cryptoPools.of(values)?.bound(0, 1).rate).toBe(0)
})

// CurveCryptoMath3.newton_y requires that no balance, divided by D and rounded down, exceeds 100.
test('a pool of three coins accepts a balance of a hundred times D, rounded down', () => {
  const D = 10n ** 19n
  const third = (first: bigint) =>
    orNull(() => TRICRYPTO.balanceOf({ A: 2_700n, gamma: 10n ** 10n }, [first, D / 60n, 0n], D, 2))
  const balance = third(100n * D)
  // With the smallest gamma, 27 times the product of all balances is nearly D cubed.
  expect(Number(balance) / Number(D)).toBeCloseTo(1 / 45, 5)
  expect(third(100n * D + 9n)).toBe(balance)
  expect(third(100n * D + 10n)).toBeNull()
})

test('where either of two curves may apply, only amounts that both pay are quoted', () => {
  // With 18 decimals every difference between the curves would show, with 13 none.
  const state: CryptoPoolState = {
    invariant: 'crypto2',
    rule: 'reducing',
    A: 400_000n,
    gamma: 145_000_000_000_000n,
    D: 1_342_610_905_474_584_912_669n,
    isRamping: false,
    midFee: 26_000_000n,
    outFee: 45_000_000n,
    feeGamma: 230_000_000_000_000n,
    priceScales: [607_583_544_095_412_307n],
    precisions: [1n, 10n ** 4n],
    balances: [592_550_798_526_815_230_356n, 124_960_275_884_458_686n],
  }
  const [one, other, either] = (['crypto2', 'crypto2-2022', 'crypto2-either'] as const).map((invariant) => {
    const maths = cryptoPools.of(cryptoValues({ ...state, invariant }))
    return Array.from({ length: 40 }, (_, power) => maths?.amountOut(0, 1, 3n ** BigInt(power + 2)) ?? null)
  })
  const known = one?.map((amount, index) => (amount === other?.[index] ? amount : null))
  expect(either).toEqual(known)
  expect(known).toContain(null)
  expect(new Set(known).size).toBeGreaterThan(2)
})
