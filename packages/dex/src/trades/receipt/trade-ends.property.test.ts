import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { countingReads } from '../../../test/counting-reads.ts'
import { at, madeHop } from '../../../test/made-hop.ts'
import { endsOf, onlyEnds, POOL, SECOND, TRADER, WETH } from '../../../test/trades/short-receipt.ts'
import { MAX_UINT256 } from '../../abi/words.ts'
import type { Address } from '../../chain.ts'
import { collapseHops } from '../routes.ts'
import { Ledger } from './ledger.ts'
import type { TokenTransfer } from './receipt-flows.ts'
import { tradeEnds } from './trade-ends.ts'

const [FOO, OTHER] = [at('f00'), at('0e')]
const amount = fc.oneof(fc.bigInt({ min: 1n, max: 1000n }), fc.bigInt({ min: MAX_UINT256 - 1000n, max: MAX_UINT256 }))
const token = fc.constantFrom(FOO, at('ba1'), WETH)
const account = fc.constantFrom(TRADER, OTHER, POOL, SECOND)
const transfer = fc.tuple(token, account, account, amount)
const hop = fc.tuple(token, token, amount, amount).filter(([tokenIn, tokenOut]) => tokenIn !== tokenOut)
const isWord = (value: bigint) => value > 0n && value <= MAX_UINT256

test('whatever tokens and venues report, no end is more than a word holds', () => {
  const scene = fc.record({
    hops: fc.array(hop, { minLength: 1, maxLength: 4 }),
    moved: fc.array(transfer, { maxLength: 6 }),
    withdrawals: fc.array(fc.tuple(account, amount), { maxLength: 3 }),
    deposits: fc.array(fc.tuple(account, amount), { maxLength: 3 }),
    value: fc.oneof(fc.constant(0n), amount),
    principals: fc.constantFrom([], [OTHER], [OTHER, TRADER]),
  })
  fc.assert(
    fc.property(scene, ({ hops, ...receipt }) => {
      const made = hops.map(([tokenIn, tokenOut, amountIn, amountOut], index) =>
        madeHop(index + 1, [tokenIn, amountIn], [tokenOut, amountOut]),
      )
      const trades = collapseHops(made).map((swap) => ({
        sell: { token: swap.sold, amount: swap.soldAmount, native: false },
        buy: { token: swap.bought, amount: swap.boughtAmount, native: false },
        hops: swap.hops,
      }))
      for (const { sell, buy } of endsOf(trades, receipt)) {
        expect([sell.amount, buy.amount].filter((end) => !isWord(end))).toEqual([])
      }
    }),
    { numRuns: 400 * inject('scale') },
  )
})

test('every hop belongs to exactly one row', () => {
  const scene = fc.record({
    // Some hops are a hundred times as large as others, so that small ones may be fees of large ones.
    hops: fc.array(fc.tuple(hop, fc.constantFrom(1n, 100n, 10_000n)), { minLength: 1, maxLength: 6 }),
    moved: fc.array(transfer, { maxLength: 6 }),
    value: fc.constantFrom(0n, 1000n),
    principals: fc.constantFrom([], [OTHER]),
  })
  fc.assert(
    fc.property(scene, ({ hops, ...receipt }) => {
      const trades = hops.map(([[tokenIn, tokenOut, amountIn, amountOut], size], index) => {
        const made = madeHop(index, [tokenIn, amountIn * size], [tokenOut, amountOut * size])
        const leg = (token: Address, amount: bigint) => ({ token, amount, native: token === WETH && index % 2 === 0 })
        return { sell: leg(tokenIn, made.amountIn), buy: leg(tokenOut, made.amountOut), hops: [made] }
      })
      const places = endsOf(trades, receipt).flatMap((ends) => ends.hops.map(({ logIndex }) => logIndex))
      expect(places.sort((a, b) => a - b)).toEqual(trades.map((_, index) => index))
    }),
    { numRuns: 400 * inject('scale') },
  )
})

test.each([TRADER, OTHER])('of a token that reports more, received by %s, the pools’ amount counts', (holder) => {
  const bar = at('ba1')
  const [sell, buy] = [
    { token: FOO, amount: 95n, native: false },
    { token: bar, amount: 50n, native: false },
  ]
  const largest: [Address, Address, Address, bigint] = [bar, POOL, holder, MAX_UINT256]
  const hops = [madeHop(5, [FOO, 95n], [bar, 50n])]
  expect(onlyEnds([{ sell, buy, hops }], { moved: [[FOO, TRADER, POOL, 100n], largest, largest] })).toMatchObject({
    buy,
  })
})

test('twice as many trades that buy one token, and transfers of it, are about twice the work', () => {
  const [bar, sold] = [at('ba1'), { token: FOO, amount: 1n, native: false }]
  const readsFor = (count: number) => {
    const trades = Array.from({ length: count }, (_, index) => {
      const hops = [madeHop(index, [FOO, 1n], [bar, 1n])]
      return { sell: sold, buy: { token: bar, amount: 1n, native: false }, hops }
    })
    // No account gains from these transfers, and the trader's payment comes last.
    const moved = Array.from({ length: count }, (_, logIndex): TokenTransfer => {
      return { token: bar, from: OTHER, to: OTHER, amount: 1n, logIndex }
    })
    const { counted, reads } = countingReads([...moved, { ...sold, from: TRADER, to: POOL, logIndex: count }])
    const flows = { transfers: counted, deposits: [], withdrawals: [], items: [], changesLiquidity: false }
    const transaction = { hash: '0xbeef', from: TRADER, value: 0n } as const
    const ledger = new Ledger(flows, WETH)
    tradeEnds(trades, {
      transaction,
      ledger,
      withIncome: ledger,
      principals: [],
      venues: new Set([POOL]),
      named: [],
      orders: [],
      listed: new Set(),
    })
    return reads()
  }
  expect(readsFor(200) / readsFor(100)).toBeLessThan(2.5)
})
