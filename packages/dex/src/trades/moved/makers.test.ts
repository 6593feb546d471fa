import { describe, expect, test } from 'vitest'
import {
  hop,
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
  unwraps,
  WETH,
  wraps,
} from '../../../test/trades/made-exchanges.ts'
import { MAX_UINT256 } from '../../abi/words.ts'

type Case = [string, Step[], string[]]

describe('a trade of which a maker’s contract says the amounts', () => {
  const pool = poolOf('market-maker', [USDC, USDT])
  const withCoins = poolOf('market-maker', [USDC, WETH])
  const treasury = [moved(USDC, TRADER, OTHER, 100n), moved(USDT, OTHER, TRADER, 99n)]
  test.each<Case>([
    ['is unchanged if the treasury moved them', [...treasury, hop(USDC, 100n, USDT, 99n, pool)], ['100 -> 99']],
    ['has what moved, not what was quoted', [...treasury, hop(USDC, 10n ** 30n, USDT, 1n, pool)], ['100 -> 99?']],
    ['is dropped if nothing moved', [hop(USDC, 100n, USDT, 99n, pool)], []],
    [
      'is unchanged if coins were wrapped for it',
      [wraps(OTHER, 100n), moved(USDC, OTHER, TRADER, 99n), hop(WETH, 100n, USDC, 99n, withCoins)],
      ['100 -> 99'],
    ],
    [
      'and where they were unwrapped',
      [moved(USDC, TRADER, OTHER, 100n), unwraps(OTHER, 99n), hop(USDC, 100n, WETH, 99n, withCoins)],
      ['100 -> 99'],
    ],
    [
      'is not confirmed where coins may have been paid without a trace',
      [moved(USDC, TRADER, OTHER, 100n), hop(USDC, 100n, WETH, 99n, withCoins)],
      ['100 -> 99?'],
    ],
  ])('%s', (_, steps, expected) => {
    expect(read(steps)).toEqual(expected)
  })
})

describe('a swap whose pool reports the paid amount without its fee', () => {
  const pool = poolOf('euler-swap', [USDC, USDT])
  const swap = (reported: bigint) => hop(USDC, reported, USDT, 99n, pool)
  test.each<Case>([
    ['has what came in', [paysIn(1_000n), paysOut(99n), swap(950n)], ['1000 -> 99']],
    ['is unchanged if the whole amount is', [paysIn(100n), swap(100n)], ['100 -> 99']],
    ['is not confirmed where the fee would be more than a twentieth', [paysIn(1_000n), swap(949n)], ['949 -> 99?']],
    ['is not confirmed where less came in: it was there before', [paysIn(100n), swap(101n)], ['101 -> 99?']],
    ['is not confirmed where nothing did', [swap(100n)], ['100 -> 99?']],
    [
      'has what came in since the swap before',
      [paysIn(1_000n), swap(990n), paysIn(500n), swap(495n)],
      ['1000 -> 99', '500 -> 99'],
    ],
    [
      'is unchanged if more came in than a word holds',
      [paysIn(MAX_UINT256), paysIn(1n, USDC, POOL), paysIn(1n), swap(MAX_UINT256)],
      [`${MAX_UINT256} -> 99?`],
    ],
  ])('%s', (_, steps, expected) => {
    expect(read(steps)).toEqual(expected)
  })
})
