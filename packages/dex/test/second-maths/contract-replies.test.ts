import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { firstBook, firstComposable, firstCrypto, firstInfinityBin, firstStableSwap } from './as-first.ts'
import { type BookPair, bookSwapOut, type InfinityBinPool, infinityBinSwapOut } from './bin-swap.ts'
import { type ComposableStablePool, composableStableOut } from './composable-stable.ts'
import { type CryptoPool, type CryptoVersion, cryptoSwapOut } from './crypto-swap.ts'
import { type StableSwapPool, type StableSwapVersion, stableSwapExchange, stableSwapView } from './stable-swap.ts'

interface PairReply {
  i: number
  j: number
  amountIn: bigint
}
interface BinReply {
  bins: [number, bigint, bigint][]
  from: number
  amountIn: bigint
  out: bigint | null
}

/**
 * Replies of contracts that were compiled from public sources, which the file names, and run in an EVM. Random states
 * were written into the contracts' storage; the contracts' maths is unchanged.
 */
const { replies } = JSON.parse(
  gunzipSync(readFileSync(new URL('contract-replies.json.gz', import.meta.url))).toString(),
  (_, value: unknown) => (typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : value),
)

const PLAIN: StableSwapVersion = {
  aPrecision: 100n,
  invariant: 'plain',
  mustConverge: true,
  kept: 1n,
  offpegFeeMultiplier: null,
  isFeeInCoinUnits: false,
  hasOracle: false,
}
const FIRST_PLAIN = { ...PLAIN, aPrecision: 1n, mustConverge: false, isFeeInCoinUnits: true }

const STABLE: Record<string, StableSwapVersion> = {
  'stable-template': PLAIN,
  'stable-3pool': FIRST_PLAIN,
  'stable-pancake': FIRST_PLAIN,
  'stable-plain': PLAIN,
  'stable-ng': { ...PLAIN, invariant: 'ng', hasOracle: true },
}

describe('StableSwap', () => {
  test.each(Object.entries(STABLE))('a pool of %s pays as its contract replied', (name, version) => {
    type Reply = PairReply & Pick<StableSwapPool, 'balances' | 'rates' | 'amp' | 'fee'>
    const list: (Reply & { view: bigint | null; exchange: bigint | null })[] = replies[name]
    for (const { i, j, amountIn, view, exchange, ...state } of list) {
      // Factory pools of two coins compute D_P in a different order.
      const invariant = name === 'stable-plain' && state.balances.length === 2 ? 'two' : version.invariant
      const pool: StableSwapPool = { ...version, invariant, ...state }
      expect(stableSwapView(pool, i, j, amountIn)).toBe(view)
      expect(stableSwapExchange(pool, i, j, amountIn)).toBe(exchange)
      const first = firstStableSwap(pool)
      const amountOut = pool.isFeeInCoinUnits ? view : exchange
      if (first !== null) expect(first.amountOut(i, j, amountIn)).toBe(amountOut)
    }
    expect(list.length).toBeGreaterThanOrEqual(200)
  })
})

describe('crypto pools', () => {
  const versions: CryptoVersion[] = ['two', 'tricrypto-ng', 'twocrypto-ng-2.0', 'twocrypto-ng-2.1']
  test.each(versions)('a pool of %s pays as its contract replied', (version) => {
    const list: (PairReply & Omit<CryptoPool, 'version'> & { view: bigint | null })[] = replies[version]
    for (const { i, j, amountIn, view, ...state } of list) {
      const pool: CryptoPool = { version, ...state }
      expect(cryptoSwapOut(pool, i, j, amountIn)).toBe(view)
      expect(firstCrypto(pool)?.amountOut(i, j, amountIn)).toBe(view)
    }
    expect(list.length).toBeGreaterThanOrEqual(200)
  })
})

describe('bins', () => {
  const binsOf = ({ bins }: BinReply) => bins.map(([id, x, y]) => ({ id, x, y }))
  test('a pool of PancakeSwap Infinity pays as BinPool replied', () => {
    const list: (BinReply & Omit<InfinityBinPool, 'bins'>)[] = replies['infinity-bin']
    for (const reply of list) {
      const pool: InfinityBinPool = { ...reply, bins: binsOf(reply) }
      expect(infinityBinSwapOut(pool, reply.from, reply.amountIn)).toBe(reply.out)
      expect(firstInfinityBin(pool)?.amountOut(reply.from, 1 - reply.from, reply.amountIn)).toBe(reply.out)
    }
    expect(list.length).toBeGreaterThanOrEqual(200)
  })

  test('a pair of the Liquidity Book pays as LBPair replied', () => {
    const list: (BinReply & Omit<BookPair, 'bins'>)[] = replies['liquidity-book']
    for (const reply of list) {
      const pair: BookPair = { ...reply, bins: binsOf(reply) }
      expect(bookSwapOut(pair, reply.from, reply.amountIn)).toBe(reply.out)
      expect(firstBook(pair)?.amountOut(reply.from, 1 - reply.from, reply.amountIn)).toBe(reply.out)
    }
    expect(list.length).toBeGreaterThanOrEqual(200)
  })
})

test('a composable stable pool pays as StableMath replied', () => {
  const list: (PairReply & ComposableStablePool & { out: bigint | null })[] = replies['composable-stable']
  for (const { i, j, amountIn, out, ...pool } of list) {
    expect(composableStableOut(pool, i, j, amountIn)).toBe(out)
    // The vault holds at most 112 bits of a token.
    if ((pool.balances[i] ?? 0n) + amountIn >= 2n ** 112n) continue
    expect(firstComposable(pool)?.amountOut(i, j, amountIn)).toBe(out)
  }
  expect(list.length).toBeGreaterThanOrEqual(200)
})
