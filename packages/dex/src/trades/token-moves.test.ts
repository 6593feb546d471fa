import { describe, expect, test } from 'vitest'
import { at, madeHop } from '../../test/made-hop.ts'
import type { Address } from '../chain.ts'
import type { TokenTransfer } from './receipt/receipt-flows.ts'
import { shortPayments, tokenMoves } from './token-moves.ts'
import type { Hop } from './trade.ts'

const [COIN, X, Y] = [at('c01'), at('1'), at('2')]
const trusted = new Set([COIN])

/** A hop that pays out, or takes in, a token; the other side is the coin. */
const pays = (logIndex: number, token: Address, amount: bigint, over: Partial<Hop> = {}) =>
  madeHop(logIndex, [COIN, 7n], [token, amount], over)
const takes = (logIndex: number, token: Address, amount: bigint, over: Partial<Hop> = {}) =>
  madeHop(logIndex, [token, amount], [COIN, 7n], over)
const poolOf = (hop: Hop) => hop.pool.address as Address
const moves = (...hops: Hop[]) => tokenMoves(hops, trusted).map(({ token, isWhole }) => [token, isWhole])

test('a token that one pool takes in just as another paid it out moved whole, in whichever order they say so', () => {
  expect(moves(pays(1, X, 100n), takes(2, X, 100n))).toEqual([[X, true]])
  expect(moves(takes(1, X, 100n), pays(2, X, 100n))).toEqual([[X, true]])
  expect(moves(pays(1, X, 100n), takes(2, X, 100n), pays(3, X, 40n))).toEqual([[X, true]])
  expect(moves(pays(1, X, 100n), madeHop(2, [X, 100n], [Y, 5n]), takes(3, Y, 5n))).toEqual([
    [X, true],
    [Y, true],
  ])
})

test('a single one, one that only leaves or enters, and trusted ones are not reported', () => {
  expect(moves(takes(1, X, 100n))).toEqual([])
  expect(moves(pays(1, X, 100n), pays(2, X, 100n))).toEqual([])
  expect(moves(takes(1, X, 100n), takes(2, X, 100n))).toEqual([])
  expect(moves(madeHop(1, [X, 1n], [COIN, 9n]), madeHop(2, [COIN, 9n], [Y, 1n]))).toEqual([])
})

test('a pool that another pool paid directly and that received less shows a tax, however small', () => {
  const taken = takes(2, X, 999_999n)
  expect(moves(pays(1, X, 1_000_000n, { recipient: poolOf(taken) }), taken)).toEqual([[X, false]])
  expect(moves(pays(1, X, 1_000_000n), taken)).toEqual([])
  // Another move of the token that arrived whole does not help.
  const whole = [pays(3, X, 50n), takes(4, X, 50n)]
  expect(moves(pays(1, X, 1_000_000n, { recipient: poolOf(taken) }), taken, ...whole)).toEqual([[X, false]])
  // Two pools pay a third, which takes both payments together.
  const both = takes(3, X, 160n)
  const to = { recipient: poolOf(both) }
  expect(moves(pays(1, X, 100n, to), pays(2, X, 60n, to), both)).toEqual([])
})

test('a token that lost more than a fee on its one way through other hands moved short', () => {
  expect(moves(pays(1, X, 100n), takes(2, X, 81n))).toEqual([[X, false]])
  expect(moves(pays(1, X, 100n), takes(2, X, 1n))).toEqual([[X, false]])
  expect(moves(pays(1, X, 100n), takes(2, X, 96n))).toEqual([])
  expect(moves(pays(1, X, 100n), takes(2, X, 130n))).toEqual([])
  expect(moves(pays(1, X, 100n), takes(2, X, 50n), takes(3, X, 40n))).toEqual([])
})

test('what pools of one vault pass on in its books is not a move', () => {
  const manager = 'e'.padStart(40, '0')
  const inManager = (id: number): Partial<Hop> => {
    const address = `0x${manager}${id.toString(16).padStart(64, '0')}` as const
    return { pool: { ...pays(1, X, 1n).pool, address } }
  }
  expect(moves(pays(1, X, 100n, inManager(1)), takes(2, X, 100n, inManager(2)))).toEqual([])
  expect(moves(pays(1, X, 100n, inManager(1)), takes(2, X, 100n))).toEqual([[X, true]])
  const inVault = (n: number): Partial<Hop> => {
    const { pool } = pays(n, X, 1n)
    return { pool: { ...pool, dex: { ...pool.dex, contracts: { vault: at('ee') } } } }
  }
  expect(moves(pays(1, X, 100n, inVault(1)), takes(2, X, 100n, inVault(2)))).toEqual([])
})

describe('a payment of a trusted token arrives short', () => {
  const hop = pays(5, COIN, 10_000n, { tokenIn: X, amountIn: 7n })
  const pool = poolOf(hop)
  const [TRADER, TAX] = [at('e1'), at('e2')]
  const paid = (amount: bigint, logIndex = 1, over: Partial<TokenTransfer> = {}): TokenTransfer => ({
    token: COIN,
    from: pool,
    to: TRADER,
    amount,
    logIndex,
    ...over,
  })
  const isShort = (transfers: readonly TokenTransfer[], ...hops: Hop[]) =>
    shortPayments(hops.length > 0 ? hops : [hop], transfers, trusted).map(({ token, isWhole }) => [token, isWhole])

  test.each<[string, TokenTransfer[]]>([
    ['with a tax on its way', [paid(30n, 1, { to: TAX }), paid(9_970n, 2)]],
    ['with a tax that no event shows', [paid(9_970n)]],
    ['beside a payment of another token', [paid(9_970n), paid(10_000n, 2, { token: X })]],
  ])('%s', (_, transfers) => {
    expect(isShort(transfers)).toEqual([[COIN, false]])
  })

  test.each<[string, TokenTransfer[]]>([
    ['if all of it arrived', [paid(10_000n)]],
    ['if all of it arrived, and more left the pool', [paid(10_000n), paid(30n, 2)]],
    ['if a part came back within the swap, so that the event reports less', [paid(10_030n)]],
    ['if a wei is missing', [paid(9_999n)]],
    ['if no transfer shows it', [paid(9_970n, 1, { from: TRADER })]],
    ['if only later transfers are smaller', [paid(9_970n, 6)]],
  ])('not %s', (_, transfers) => {
    expect(isShort(transfers)).toEqual([])
  })

  test('for each payment of a pool by itself', () => {
    const second = { ...hop, logIndex: 9 }
    expect(isShort([paid(10_000n), paid(10_000n, 8)], hop, second)).toEqual([])
    expect(isShort([paid(10_000n), paid(9_970n, 8)], hop, second)).toEqual([[COIN, false]])
  })

  test('only in pools that pay at once what they report', () => {
    const dex = { ...hop.pool.dex, kind: 'curve' } as const
    expect(isShort([paid(9_970n)], { ...hop, pool: { ...hop.pool, dex } })).toEqual([])
    expect(shortPayments([hop], [paid(9_970n)], new Set())).toEqual([])
  })
})
