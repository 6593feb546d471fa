import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { orNull } from '../../../maths/checked-words.ts'
import { absolute } from '../../../maths/integers.ts'
import { upperBound } from '../../../maths/output-bound.ts'
import {
  CRYPTO_INVARIANTS,
  type CryptoInvariantName,
  type CryptoPoolState,
  cryptoPools,
  cryptoValues,
} from './crypto-pools.ts'
import { TRICRYPTO } from './first-invariants.ts'
import { WAD } from './invariant.ts'

const NAMES = Object.keys(CRYPTO_INVARIANTS) as CryptoInvariantName[]
/** The smallest and largest A and gamma that each curve accepts. */
const RANGES: Readonly<Record<CryptoInvariantName, readonly [A: [number, number], gamma: [number, number]]>> = {
  tricrypto: [
    [2_700, 27e7],
    [1e10, 5e16],
  ],
  crypto2: [
    [4_000, 4e9],
    [1e10, 2e16],
  ],
  'crypto2-2022': [
    [4_000, 4e9],
    [1e10, 2e16],
  ],
  'crypto2-either': [
    [4_000, 4e9],
    [1e10, 2e16],
  ],
  'tricrypto-ng': [
    [2_700, 27e7],
    [1e10, 5e16],
  ],
  'twocrypto-2.0': [
    [4_000, 4e7],
    [1e10, 2e15],
  ],
  'twocrypto-2.1': [
    [4_000, 4e7],
    [1e10, 1.99e17],
  ],
  'twocrypto-stable': [
    [20_000, 1e8],
    [1e10, 1e17],
  ],
  'twocrypto-stable-0.1.1': [
    [20_000, 1e8],
    [1e10, 1e17],
  ],
}
/** The error of the contracts' Newton's method, as a fraction of D. */
const NOISE = 1e-13

const RUNS = 60 * inject('scale')

const magnitude = ([min, max]: readonly [number, number]) =>
  fc
    .double({ min: Math.log(min), max: Math.log(max), noNaN: true })
    .map((log) => BigInt(Math.floor(Math.min(max, Math.max(min, Math.exp(log))))))

/** Pools whose D matches their balances, as in the contract. */
const pools = fc.constantFrom(...NAMES).chain((invariant) => {
  const [A, gamma] = RANGES[invariant]
  const { coins } = CRYPTO_INVARIANTS[invariant]
  const list = <Item>(item: fc.Arbitrary<Item>, length: number) =>
    fc.array(item, { minLength: length, maxLength: length })
  return fc
    .record({
      A: magnitude(A),
      gamma: magnitude(gamma),
      midFee: magnitude([5e5, 1e8]),
      addedFee: magnitude([1, 1e9]),
      feeGamma: magnitude([1e12, 1e18]),
      priceScales: list(magnitude([1e12, 1e24]), coins - 1),
      decimals: list(fc.constantFrom(6, 8, 18, 18), coins),
      size: magnitude([1e19, 1e29]),
      shares: list(fc.oneof(magnitude([800, 1_200]), magnitude([60, 2_000])), coins),
    })
    .map(({ decimals, size, shares, addedFee, ...terms }): CryptoPoolState => {
      const precisions = decimals.map((digits) => 10n ** BigInt(18 - digits))
      const units = [WAD, ...terms.priceScales].map((price, index) => price * (precisions[index] ?? 1n))
      const balances = shares.map((share, index) => (size * share * WAD) / 1_000n / (units[index] ?? WAD) + 1_000_000n)
      const scaled = balances.map((balance, index) => (balance * (units[index] ?? WAD)) / WAD)
      const D = orNull(() => CRYPTO_INVARIANTS[invariant].invariantOf(terms, scaled)) ?? 0n
      const rule = invariant.startsWith('twocrypto-stable') ? 'weighted' : 'reducing'
      const outFee = terms.midFee + addedFee
      return { ...terms, invariant, rule, outFee, D, isRamping: false, precisions, balances }
    })
    .filter(({ D }) => D > 0n)
})

/** Returns the contract's error in base units of a coin, plus two units for rounding. */
function noiseOf({ D, priceScales, precisions }: CryptoPoolState, coin: number): number {
  const price = Number([WAD, ...priceScales][coin] ?? WAD) / 1e18
  return 2 + (Number(D) * NOISE) / price / Number(precisions[coin] ?? 1n)
}

/** In units of 10^-12. */
const BILLIONTH = 1_000n

/** Ascending amounts, in units of 10^-12 of the pool's balance. */
const amounts = fc
  .array(fc.double({ min: 0, max: 27, noNaN: true }), { minLength: 2, maxLength: 8 })
  .map((logs) => logs.sort((a, b) => a - b).map((log) => BigInt(Math.floor(Math.exp(log)))))

test('no amount exceeds its bound, and a greater input pays more, apart from the rounding of the contract', () => {
  fc.assert(
    fc.property(pools, fc.nat(2), fc.nat(1), amounts, (state, first, second, parts) => {
      const coins = state.balances.length
      const [from, to] = [first % coins, (first + 1 + (second % (coins - 1))) % coins]
      const maths = cryptoPools.of(cryptoValues(state))
      if (maths === null) throw new Error('no pool has these values')
      const { rate, depth } = maths.bound(from, to)
      const noise = noiseOf(state, to)
      let before = 0n
      for (const part of parts) {
        const sold = ((state.balances[from] ?? 0n) * part) / 10n ** 12n + 1n
        const bought = maths.amountOut(from, to, sold)
        if (bought === null) continue
        // Below a billionth of the balance, the contract's error may pay more than the bound.
        if (part >= BILLIONTH) expect(Number(bought)).toBeLessThanOrEqual(upperBound(rate, depth, Number(sold)) + noise)
        // For large amounts the fee may rise faster than the amount.
        if (part < 10n ** 10n) expect(Number(before - bought)).toBeLessThanOrEqual(noise)
        before = bought
      }
    }),
    { numRuns: RUNS },
  )
})

test('a pool whose A and gamma move is quoted by the D of its balances', () => {
  fc.assert(
    fc.property(pools, (state) => {
      const stored = cryptoPools.of(cryptoValues(state))
      const computed = cryptoPools.of(cryptoValues({ ...state, isRamping: true, D: 1n }))
      const sold = (state.balances[0] ?? 0n) / 100n
      const [one, other] = [stored?.amountOut(0, 1, sold), computed?.amountOut(0, 1, sold)]
      if (one && other) expect(absolute(one - other)).toBeLessThanOrEqual(noiseOf(state, 1))
      expect(one === null).toBe(other === null)
    }),
    { numRuns: 10 * inject('scale') },
  )
})

test('values that no pool has are refused, and none makes the maths throw', () => {
  expect(cryptoPools.of([])).toBeNull()
  const word = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n }),
    fc.bigInt({ min: -1n, max: 2n ** 256n }),
    fc.bigInt({ min: 1n, max: 10n ** 30n }),
  )
  const values = fc
    .tuple(fc.bigInt({ min: 0n, max: 8n }), fc.bigInt({ min: 0n, max: 3n }), fc.bigInt({ min: 0n, max: 1n }))
    .chain((head) => fc.array(word, { minLength: 13, maxLength: 18 }).map((rest) => [...head, ...rest]))
  fc.assert(
    fc.property(values, word, (state, sold) => {
      const maths = cryptoPools.of(state)
      const { rate } = maths?.bound(0, 1) ?? { rate: 0 }
      expect(rate >= 0 && rate < Number.POSITIVE_INFINITY).toBe(true)
      const bought = maths?.amountOut(1, 0, sold) ?? 0n
      expect(bought >= 0n).toBe(true)
    }),
    { numRuns: 400 * inject('scale') },
  )
})

test('a state whose rate has no value is not exchanged, and does not make the maths throw', () => {
  const values = [
    ...[0n, 1n, 0n, 2n, 0n, 0n, 41968544888769427165046648328598548244520580524974239116459037636721413235795n],
    ...[2n, 1n, 2n, 28n, 1n, 60n, 166548732664371626686261776029n, 24n, 543223768148819431759777058898n, 1n],
  ]
  expect(cryptoPools.of(values)?.bound(0, 1).rate).toBe(0)
})

test('coins that a pool does not have, equal coins and amounts of nothing are not quoted', () => {
  const [state] = fc.sample(pools, 1)
  if (state === undefined) throw new Error('no pool')
  const maths = cryptoPools.of(cryptoValues(state))
  expect(maths?.amountOut(0, 0, 10n)).toBeNull()
  expect(maths?.amountOut(0, 3, 10n)).toBeNull()
  expect(maths?.amountOut(0, 1, 0n)).toBeNull()
  expect(maths?.bound(1, 1).rate).toBe(0)
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
