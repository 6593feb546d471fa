import fc from 'fast-check'
import { describe, expect, inject, it, test } from 'vitest'
import { countingReads } from '../../../test/counting-reads.ts'
import { at, madeHop } from '../../../test/made-hop.ts'
import type { Address } from '../../chain.ts'
import type { NetSwap } from '../routes.ts'
import type { Hop } from '../trade.ts'
import { boughtLeg, type CoinFacts, coinFlow, soldLeg, withdrawalsByHop, withdrawalsOf } from './coin-ends.ts'
import { totalOf, type Wrapping } from './receipt-flows.ts'

const [WETH, FOO, TRADER, ROUTER, OTHER] = [at('e1'), at('f00'), at('ee'), at('10'), at('0e')]
const by = (account: Address, amount: bigint, logIndex = 9): Wrapping => ({ account, amount, logIndex })
const facts = (value: bigint, deposits: Wrapping[], withdrawals: Wrapping[]): CoinFacts => {
  return { wrappedNative: WETH, trader: TRADER, value, flow: coinFlow(totalOf(deposits), withdrawals, TRADER) }
}
const selling = (...hops: Hop[]): NetSwap => {
  const soldAmount = hops.reduce((sum, { amountIn }) => sum + amountIn, 0n)
  return { sold: WETH, soldAmount, bought: FOO, boughtAmount: 1n, hops }
}
const buying = (...hops: Hop[]): NetSwap => {
  const boughtAmount = hops.reduce((sum, { amountOut }) => sum + amountOut, 0n)
  return { sold: FOO, soldAmount: 1n, bought: WETH, boughtAmount, hops }
}
const sale = (amount: bigint, over: Partial<Hop> = {}) => madeHop(1, [WETH, amount], [FOO, 1n], over)
const purchase = (amount: bigint, over: Partial<Hop> = {}) => madeHop(1, [FOO, 1n], [WETH, amount], over)
const nativeIn = { nativeIn: true }
const nativeOut = { nativeOut: true }

describe('the coin was sold', () => {
  it.each<[string, boolean, NetSwap, CoinFacts]>([
    ['wrapped in full by a router', true, selling(sale(100n)), facts(100n, [by(ROUTER, 100n)], [])],
    ['wrapped with a fee left over', true, selling(sale(99n)), facts(100n, [by(ROUTER, 100n)], [])],
    ['too much sent and paid back', true, selling(sale(80n)), facts(100n, [by(ROUTER, 80n)], [])],
    ['wrapped in two parts', true, selling(sale(100n)), facts(100n, [by(ROUTER, 60n), by(ROUTER, 40n)], [])],
    ['wrapped only in part', false, selling(sale(100n)), facts(40n, [by(ROUTER, 40n)], [])],
    ['nothing sent along', false, selling(sale(100n)), facts(0n, [by(ROUTER, 100n)], [])],
    ['something sent along for another purpose', false, selling(sale(100n)), facts(5n, [], [])],
    ['paid to a pool that takes coins', true, selling(sale(100n, nativeIn)), facts(100n, [], [])],
    [
      'half to such a pool, half wrapped for another',
      true,
      selling(sale(50n, nativeIn), sale(50n)),
      facts(100n, [by(ROUTER, 50n)], []),
    ],
    ['unwrapped for such a pool', false, selling(sale(100n, nativeIn)), facts(0n, [], [by(ROUTER, 100n)])],
    ['the same, with a fee in coins', false, selling(sale(100n, nativeIn)), facts(3n, [], [by(ROUTER, 100n)])],
  ])('%s: %s', (_, native, swap, of) => {
    expect(soldLeg(swap, of).native).toBe(native)
  })
})

describe('the coin was bought', () => {
  it.each<[string, boolean, NetSwap, CoinFacts]>([
    ['unwrapped in full', true, buying(purchase(100n)), facts(0n, [], [by(ROUTER, 100n)])],
    ['unwrapped less a fee', true, buying(purchase(100n)), facts(0n, [], [by(ROUTER, 90n)])],
    ['unwrapped in small part', false, buying(purchase(100n)), facts(0n, [], [by(ROUTER, 50n)])],
    ['not unwrapped', false, buying(purchase(100n)), facts(0n, [], [])],
    [
      'paid to the trader while another account unwraps',
      false,
      buying(purchase(100n, { recipient: TRADER })),
      facts(0n, [], [by(ROUTER, 100n)]),
    ],
    [
      'paid to the trader, which unwraps in the same transaction',
      true,
      buying(purchase(100n, { recipient: TRADER })),
      facts(0n, [], [by(TRADER, 100n)]),
    ],
    ['paid out by a pool in coins', true, buying(purchase(100n, nativeOut)), facts(0n, [], [])],
    ['paid out in coins and wrapped', false, buying(purchase(100n, nativeOut)), facts(0n, [by(ROUTER, 100n)], [])],
    [
      'half in coins, half unwrapped',
      true,
      buying(purchase(50n, nativeOut), purchase(50n)),
      facts(0n, [], [by(ROUTER, 50n)]),
    ],
  ])('%s: %s', (_, native, swap, of) => {
    expect(boughtLeg(swap, of).native).toBe(native)
  })
})

test('a leg in another token is not the coin', () => {
  const of = facts(100n, [by(ROUTER, 100n)], [by(ROUTER, 100n)])
  expect(boughtLeg(selling(sale(100n)), of)).toEqual({ token: FOO, amount: 1n, native: false })
  expect(soldLeg(buying(purchase(100n)), of)).toEqual({ token: FOO, amount: 1n, native: false })
})

/* log 1 pool pays ROUTER, 2 ROUTER unwraps, 3 pool pays OTHER, 4 another account unwraps */
test('a withdrawal belongs to the nearest hop before it that paid its account, else to the nearest one', () => {
  const first = madeHop(1, [FOO, 1n], [WETH, 100n], { recipient: ROUTER })
  const second = madeHop(3, [FOO, 1n], [WETH, 50n], { recipient: OTHER })
  const withdrawals = [by(ROUTER, 7n, 0), by(ROUTER, 100n, 2), by(TRADER, 50n, 4), by(ROUTER, 7n, 5)]
  const byHop = withdrawalsByHop([first, second], withdrawals, WETH)
  const of = (hop: Hop) => withdrawalsOf([hop], byHop).map(({ logIndex }) => logIndex)
  expect(of(first)).toEqual([2, 5])
  expect(of(second)).toEqual([4])
})

/** Implements `withdrawalsOf` by its definition, with a separate search for each withdrawal. */
function plainly(hops: readonly Hop[], all: readonly Hop[], withdrawals: readonly Wrapping[]): Wrapping[] {
  return withdrawals.filter(({ account, logIndex }) => {
    const before = all.filter((hop) => hop.tokenOut === WETH && hop.logIndex < logIndex)
    const source = before.findLast(({ recipient }) => recipient === account) ?? before.at(-1)
    return source !== undefined && hops.includes(source)
  })
}

/** The hops and withdrawals of a transaction, both in log order, and the hops that belong to a swap. */
const transaction = fc
  .array(fc.tuple(fc.boolean(), fc.constantFrom(ROUTER, TRADER, OTHER, null), fc.boolean(), fc.boolean()), {
    maxLength: 25,
  })
  .map((logs) => {
    const [hops, ofSwap, withdrawals]: [Hop[], Hop[], Wrapping[]] = [[], [], []]
    logs.forEach(([isHop, account, paysCoin, isOfSwap], logIndex) => {
      if (!isHop) {
        withdrawals.push(by(account ?? FOO, 1n, logIndex))
        return
      }
      const made = madeHop(logIndex, [paysCoin ? FOO : WETH, 1n], [paysCoin ? WETH : FOO, 1n], { recipient: account })
      hops.push(made)
      if (isOfSwap) ofSwap.push(made)
    })
    return { hops, ofSwap, withdrawals }
  })

test('the withdrawals of any hops are those of a plain look-up', () => {
  fc.assert(
    fc.property(transaction, ({ hops, ofSwap, withdrawals }) => {
      const byHop = withdrawalsByHop(hops, withdrawals, WETH)
      expect(withdrawalsOf(ofSwap, byHop)).toEqual(plainly(ofSwap, hops, withdrawals))
    }),
    { numRuns: 200 * inject('scale') },
  )
})

test('twice as many hops and withdrawals are about twice the work', () => {
  const readsFor = (count: number) => {
    const hops = Array.from({ length: count }, (_, i) => purchase(1n, { logIndex: i, recipient: ROUTER }))
    const withdrawals = Array.from({ length: 2 * count }, (_, i) => by(i % 2 ? OTHER : ROUTER, 0n, count + i))
    const [ofHops, ofWithdrawals] = [countingReads(hops), countingReads(withdrawals)]
    const byHop = withdrawalsByHop(ofHops.counted, ofWithdrawals.counted, WETH)
    for (const hop of ofHops.counted) withdrawalsOf([hop], byHop)
    return ofHops.reads() + ofWithdrawals.reads()
  }
  expect(readsFor(200) / readsFor(100)).toBeLessThan(2.5)
})
