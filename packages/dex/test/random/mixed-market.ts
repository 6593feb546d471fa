import fc from 'fast-check'
import type { Pool } from '../../src/pool.ts'
import type { MarketSeed } from '../../src/quote/market.ts'
import { cryptoValues } from '../../src/venues/curve/crypto/crypto-pools.ts'
import { stableValues } from '../../src/venues/curve/stable/curve-stable.ts'
import { DODO_VERSION, dodoValues } from '../../src/venues/dodo/quote.ts'
import { infinityBinValues } from '../../src/venues/infinity/bin-quote.ts'
import { psmValues } from '../../src/venues/maker-psm/quote.ts'
import { pairSeed, poolAddress, tokenAddress } from './market.ts'
import { tightMarket } from './tight-market.ts'

const ONE = 10n ** 18n

/** What is drawn for a pool, whatever its formula: its size, the share of each coin, its fee in millionths. */
interface Drawn {
  size: bigint
  shares: readonly bigint[]
  fee: bigint
  steep: number
  isOlder: boolean
  basis: Pool['address'] | null
}

interface Kind {
  formula: string
  maxCoins: 2 | 3
  values(drawn: Drawn, balances: readonly bigint[]): readonly bigint[]
}

const KINDS: readonly Kind[] = [
  {
    formula: 'psm',
    maxCoins: 2,
    values: ({ size, fee }) =>
      psmValues({ daiPerGem: 1n, tin: fee * 10n ** 12n, tout: 0n, ceiling: size, cash: size, gems: size / 2n }),
  },
  {
    formula: 'dodo',
    maxCoins: 2,
    values: ({ fee, steep }, [b = 0n, q = 0n]) =>
      dodoValues({
        i: ONE,
        k: (ONE * BigInt(steep)) / 1000n,
        b,
        q,
        b0: b,
        q0: q,
        r: 0n,
        lpFee: fee * 10n ** 12n,
        mtFee: 0n,
        version: DODO_VERSION.stored,
      }),
  },
  {
    formula: 'curve-stable',
    maxCoins: 3,
    values: ({ fee, steep, isOlder, basis }, balances) =>
      stableValues({
        amplification: BigInt(100 * (1 + steep)),
        precision: 100n,
        rounding: isOlder ? 'each' : 'last',
        keepsOne: !isOlder,
        takesFee: 'before',
        fee: fee * 10_000n,
        offPegMultiplier: isOlder ? 0n : 2n * 10n ** 10n,
        basis,
        balances,
        rates: balances.map(() => ONE),
        prices: isOlder ? 'none' : 'whole',
      }),
  },
  {
    formula: 'curve-crypto',
    maxCoins: 3,
    values: ({ fee, isOlder }, balances) =>
      cryptoValues({
        invariant: balances.length === 3 ? (isOlder ? 'tricrypto' : 'tricrypto-ng') : 'twocrypto-2.0',
        A: 400_000n * BigInt(balances.length === 3 ? 10 : 1),
        gamma: 10n ** 14n,
        rule: 'reducing',
        midFee: fee * 10_000n,
        outFee: fee * 30_000n,
        feeGamma: 10n ** 15n,
        isRamping: true,
        D: 1n,
        priceScales: balances.slice(1).map(() => ONE),
        precisions: balances.map(() => 1n),
        balances,
      }),
  },
  {
    formula: 'infinity-bin',
    maxCoins: 2,
    values: ({ size, fee }) => {
      const ids = Array.from({ length: 9 }, (_, at) => 2 ** 23 - 4 + at)
      const bins = ids.map((id, at) => ({ id, reserve0: at < 4 ? 0n : size / 5n, reserve1: at > 4 ? 0n : size / 5n }))
      return infinityBinValues({ binStep: 10n, activeId: 2n ** 23n, fees: [fee, fee], shares: [0n, 0n], bins })
    },
  },
  {
    formula: 'stable-pair',
    maxCoins: 2,
    values: ({ fee, isOlder }, [a = 0n, b = 0n]) => [a, b, fee, 1_000_000n, ONE, ONE, isOlder ? 0n : 1n],
  },
  { formula: 'volatile-pair', maxCoins: 2, values: ({ fee }, [a = 0n, b = 0n]) => [a, b, fee, 1_000_000n] },
  {
    formula: 'balancer-v2-weighted',
    maxCoins: 3,
    values: ({ fee, isOlder }, balances) => {
      const weight = ONE / BigInt(balances.length)
      const coins = balances.flatMap((balance) => [balance, balance, ONE, weight])
      return [isOlder ? 0n : 1n, fee * 10n ** 12n, ...coins]
    },
  },
  {
    formula: 'balancer-v2-stable',
    maxCoins: 3,
    values: ({ fee, steep, isOlder }, balances) => {
      const coins = balances.flatMap((balance) => [balance, balance, ONE])
      return [isOlder ? 0n : 1n, BigInt(1000 * (1 + steep)), fee * 10n ** 12n, ...coins]
    },
  },
]

export const FORMULAS_OF_MARKETS = KINDS.map(({ formula }) => formula)

/** Like tightMarket, but some pools use formulas, some of these have three coins, and some build on another pool. */
export function mixedMarket(tokens: number, maxPools: number): fc.Arbitrary<MarketSeed[]> {
  const drawn = fc.record({
    kind: fc.constantFrom(...KINDS),
    coins: fc.shuffledSubarray([...Array(tokens).keys()], { minLength: 3, maxLength: 3 }),
    isOfThree: fc.boolean(),
    /** Depth, as a base-ten logarithm in thousandths. */
    depth: fc.integer({ min: -300, max: 2500 }),
    shares: fc.array(fc.bigInt({ min: 700_000n, max: 1_300_000n }), { minLength: 3, maxLength: 3 }),
    fee: fc.bigInt({ min: 1n, max: 3_000n }),
    steep: fc.integer({ min: 1, max: 999 }),
    isOlder: fc.boolean(),
    on: fc.option(fc.nat({ max: maxPools }), { freq: 3 }),
  })
  const formulas = fc.array(drawn, { minLength: 1, maxLength: Math.ceil(maxPools / 2) })
  return fc.tuple(formulas, tightMarket(tokens, Math.floor(maxPools / 2))).map(([all, others]) => [
    ...others,
    ...all.map(({ kind, coins, isOfThree, depth, on, ...rest }, at): MarketSeed => {
      const index = 100 + at
      const size = (ONE * BigInt(Math.round(1000 * 10 ** (depth / 1000)))) / 1000n
      const count = isOfThree && kind.maxCoins === 3 ? 3 : 2
      const balances = rest.shares.slice(0, count).map((share) => (size * share) / 1_000_000n)
      const basis = on === null || on === at ? null : poolAddress(100 + on)
      const values = kind.values({ ...rest, size, basis }, balances)
      const tokensOf = coins.slice(0, count)
      const { pool } = pairSeed(index, [tokensOf[0] ?? 0, tokensOf[1] ?? 1], [1n, 1n])
      return {
        pool: { ...pool, fee: 0, coins: tokensOf.map(tokenAddress) },
        state: { kind: 'formula', formula: kind.formula, values, freshUntil: null },
      }
    }),
  ])
}
