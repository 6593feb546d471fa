import { describe, expect, test } from 'vitest'
import {
  ADDED,
  hop,
  LP,
  META,
  moved,
  OTHER,
  POOL,
  paysIn,
  paysOut,
  poolOf,
  read,
  type Step,
  TRADER,
  USDC,
  USDT,
  WETH,
} from '../../../test/trades/made-exchanges.ts'
import { ZERO_ADDRESS } from '../../chain.ts'

describe('an exchange of which the event says what the caller said', () => {
  test.each<[string, Step[], string]>([
    ['is unchanged if the transfers confirm it', [paysIn(100n), paysOut(99n), hop(USDC, 100n, USDT, 99n)], '100 -> 99'],
    [
      'has what came in, not what the caller named',
      [paysIn(100n), paysOut(99n), hop(USDC, 1n, USDT, 99n)],
      '100 -> 99?',
    ],
    [
      'has all that came in, in however many parts, from whomever',
      [paysIn(100n), paysIn(1n, USDC, OTHER), paysOut(99n), hop(USDC, 1n, USDT, 99n)],
      '101 -> 99?',
    ],
    [
      'has what a tax on the transfer left',
      [paysIn(95n), moved(USDC, TRADER, OTHER, 5n), paysOut(94n), hop(USDC, 100n, USDT, 94n)],
      '95 -> 94?',
    ],
    [
      'has what left the pool, in parts',
      [paysIn(100n), paysOut(90n), moved(USDT, POOL, OTHER, 9n), hop(USDC, 100n, USDT, 99n)],
      '100 -> 99',
    ],
    ['has what left the pool where it is less', [paysIn(100n), paysOut(90n), hop(USDC, 100n, USDT, 99n)], '100 -> 90?'],
    [
      'is not confirmed where nothing came in: it was there before',
      [paysOut(99n), hop(USDC, 1n, USDT, 99n)],
      '1 -> 99?',
    ],
    ['is not confirmed where nothing left', [paysIn(100n), hop(USDC, 100n, USDT, 99n)], '100 -> 99?'],
    [
      'may be paid in coins, which leave no transfer',
      [paysOut(99n), hop(WETH, 5n, USDT, 99n, undefined, 'in')],
      '5 -> 99',
    ],
    ['may be paid in coins for the wrapped one', [paysOut(99n), hop(WETH, 5n, USDT, 99n)], '5 -> 99'],
    ['may pay coins for the wrapped one', [paysIn(99n), hop(USDC, 99n, WETH, 5n)], '99 -> 5'],
    [
      'counts only transfers of the tokens, and of this pool',
      [moved(USDC, TRADER, OTHER, 100n), moved(USDT, TRADER, POOL, 7n), paysOut(99n), hop(USDC, 1n, USDT, 99n)],
      '1 -> 99?',
    ],
    [
      'counts nothing that the pool sends itself',
      [moved(USDC, POOL, POOL, 50n), paysIn(100n), paysOut(99n), hop(USDC, 100n, USDT, 99n)],
      '100 -> 99',
    ],
    [
      'is not raised by what a token says beyond a word',
      [paysIn(2n ** 256n - 1n), paysIn(9n), paysOut(99n), hop(USDC, 1n, USDT, 99n)],
      '1 -> 99?',
    ],
    [
      'is unchanged if a token rounds what it moves',
      [paysIn(1_002n), paysOut(997n), hop(USDC, 1_000n, USDT, 999n)],
      '1000 -> 999',
    ],
    [
      'is not where it is more than that',
      [paysIn(1_003n), paysOut(996n), hop(USDC, 1_000n, USDT, 999n)],
      '1003 -> 996?',
    ],
    ['is not where nothing came in for dust', [paysOut(99n), hop(USDC, 2n, USDT, 99n)], '2 -> 99?'],
    [
      'leaves out interest that the token pays the pool',
      [moved(USDC, ZERO_ADDRESS, POOL, 10n), paysIn(1_000n), paysOut(999n), hop(USDC, 1_000n, USDT, 999n)],
      '1000 -> 999',
    ],
    [
      'counts what is made for the pool as its payment',
      [moved(USDC, ZERO_ADDRESS, POOL, 1_000n), paysIn(5n), paysOut(999n), hop(USDC, 5n, USDT, 999n)],
      '1005 -> 999?',
    ],
    [
      'counts more than interest',
      [moved(USDC, ZERO_ADDRESS, POOL, 11n), paysIn(1_000n), paysOut(999n), hop(USDC, 1_000n, USDT, 999n)],
      '1011 -> 999?',
    ],
  ])('%s', (_, steps, expected) => {
    expect(read(steps)).toEqual([expected])
  })

  test('of StableSwap is paid in the wrapped coin itself', () => {
    const stable = true
    expect(read([paysOut(99n), hop(WETH, 5n, USDT, 99n)], stable)).toEqual(['5 -> 99?'])
    expect(read([paysIn(99n), hop(USDC, 99n, WETH, 5n)], stable)).toEqual(['99 -> 5?'])
    expect(read([paysIn(5n, WETH), paysOut(99n), hop(WETH, 5n, USDT, 99n)], stable)).toEqual(['5 -> 99'])
  })

  // in 100 - out 99 - reported 1 - in 50 - out 49 - reported 50
  test('one after the other, each with what came in since the one before', () => {
    const steps = [
      paysIn(100n),
      paysOut(99n),
      hop(USDC, 100n, USDT, 99n),
      paysIn(50n),
      paysOut(49n),
      hop(USDC, 50n, USDT, 49n),
    ]
    expect(read(steps)).toEqual(['100 -> 99', '50 -> 49'])
  })

  test('to and fro, each with its own token', () => {
    const steps = [
      ...[paysIn(100n), paysOut(99n), hop(USDC, 100n, USDT, 99n)],
      ...[paysIn(99n, USDT), paysOut(98n, USDC), hop(USDT, 99n, USDC, 98n)],
    ]
    expect(read(steps)).toEqual(['100 -> 99', '99 -> 98'])
  })

  // in 1,000 USDC - USDT -> WETH - in 1 USDC - reported 1
  test('what was paid before another exchange of the pool counts for the one that sells it', () => {
    const steps = [
      ...[paysIn(1_000n), paysIn(9n, USDT), paysOut(2n, WETH), hop(USDT, 9n, WETH, 2n)],
      ...[paysIn(1n), paysOut(999n), hop(USDC, 1n, USDT, 999n)],
    ]
    expect(read(steps)).toEqual(['9 -> 2', '1001 -> 999?'])
  })

  // in 1,000 - takes 5 of them - in 1 - reported 1: it is unknown what the first event took
  test('after one that is not confirmed none of the same token is', () => {
    const steps = [
      ...[paysIn(1_000n), paysIn(5n), paysOut(4n), hop(USDC, 5n, USDT, 4n)],
      ...[paysIn(1n), paysOut(999n), hop(USDC, 1n, USDT, 999n)],
    ]
    expect(read(steps)).toEqual(['1005 -> 4?', '1 -> 999?'])
  })

  // in 500 - liquidity added - in 100 - reported 100
  test('where the pool took liquidity between, an event keeps its amounts, and is not confirmed', () => {
    const steps = [paysIn(500n), { emits: ADDED }, paysIn(100n), paysOut(99n), hop(USDC, 100n, USDT, 99n)]
    expect(read(steps)).toEqual(['100 -> 99?'])
    const ofOthers = [paysIn(500n), { emits: ADDED, by: OTHER }, paysIn(100n), paysOut(99n), hop(USDC, 600n, USDT, 99n)]
    expect(read(ofOthers)).toEqual(['600 -> 99'])
  })

  // in 500 - a share of the pool is sent - in 1 - reported 1
  test('a transfer of the pool’s own shares hides nothing that was paid before', () => {
    const steps = [paysIn(500n), moved(POOL, TRADER, OTHER, 0n), paysIn(1n), paysOut(499n), hop(USDC, 1n, USDT, 499n)]
    expect(read(steps)).toEqual(['501 -> 499?'])
  })

  //  metapool of META and the shares LP of a base pool of USDC and USDT
  test('coins of a base pool pass through a metapool, to and fro', () => {
    const pool = poolOf('curve', [META, LP], [META, USDC, USDT])
    const steps = [
      ...[paysIn(100n), moved(USDC, POOL, OTHER, 100n), moved(LP, ZERO_ADDRESS, POOL, 95n), paysOut(94n, META)],
      hop(USDC, 100n, META, 94n, pool),
      ...[paysIn(94n, META), moved(LP, POOL, ZERO_ADDRESS, 93n), moved(USDC, OTHER, POOL, 92n), paysOut(92n, USDC)],
      hop(META, 94n, USDC, 92n, pool),
      ...[paysIn(10n), moved(USDC, POOL, OTHER, 10n), moved(LP, ZERO_ADDRESS, POOL, 9n), paysOut(8n, META)],
      hop(USDC, 10n, META, 8n, pool),
    ]
    expect(read(steps)).toEqual(['100 -> 94', '94 -> 92', '10 -> 8'])
    // Shares that paid for an exchange of underlying tokens do not pay for the next one.
    const shares = [...steps.slice(0, 5), paysIn(7n, LP), paysOut(6n, META), hop(LP, 7n, META, 6n, pool)]
    expect(read(shares)).toEqual(['100 -> 94', '7 -> 6?'])
  })

  // pool of the lender's tokens, which pays the underlying tokens
  test('what a lender keeps it pays itself', () => {
    const pool = poolOf('curve', [META, LP], [USDC, USDT])
    const paid = [paysIn(100n), moved(META, ZERO_ADDRESS, POOL, 100n), moved(LP, POOL, ZERO_ADDRESS, 99n)]
    const byLender = moved(USDT, LP, TRADER, 99n)
    expect(read([...paid, byLender, hop(USDC, 100n, USDT, 99n, pool)])).toEqual(['100 -> 99'])
    expect(read([...paid, moved(USDT, LP, TRADER, 98n), hop(USDC, 100n, USDT, 99n, pool)])).toEqual(['100 -> 99?'])
    expect(read([byLender, { emits: ADDED }, ...paid, hop(USDC, 100n, USDT, 99n, pool)])).toEqual(['100 -> 99?'])
    expect(read([paysIn(100n), byLender, hop(USDC, 100n, USDT, 99n)])).toEqual(['100 -> 99?'])
  })

  test('a pool that measures and enforces its amounts is not compared', () => {
    const pool = poolOf('uniswap-v2', [USDC, USDT])
    expect(read([hop(USDC, 100n, USDT, 99n, pool)])).toEqual(['100 -> 99'])
  })
})
