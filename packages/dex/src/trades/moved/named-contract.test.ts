import { describe, expect, test } from 'vitest'
import {
  hop,
  moved,
  OTHER,
  poolOf,
  read,
  type Step,
  TRADER,
  USDC,
  USDT,
  WETH,
} from '../../../test/trades/made-exchanges.ts'

describe('a conversion of which a contract that the caller names says the amounts', () => {
  const pool = poolOf('bancor-v2', [USDC, USDT])
  test.each<[string, Step[], string[]]>([
    [
      'is unchanged if there are such transfers',
      [moved(USDC, TRADER, OTHER, 100n), moved(USDT, OTHER, TRADER, 99n), hop(USDC, 100n, USDT, 99n, pool)],
      ['100 -> 99'],
    ],
    [
      'with coins on one side',
      [moved(USDT, OTHER, TRADER, 99n), hop(WETH, 100n, USDT, 99n, pool, 'in')],
      ['100 -> 99'],
    ],
    ['and on the other', [moved(USDC, TRADER, OTHER, 100n), hop(USDC, 100n, WETH, 99n, pool, 'out')], ['100 -> 99']],
    ['is dropped if nothing was sold', [moved(USDT, OTHER, TRADER, 99n), hop(USDC, 100n, USDT, 99n, pool)], []],
    ['is dropped if nothing was bought', [moved(USDC, TRADER, OTHER, 100n), hop(USDC, 100n, USDT, 99n, pool)], []],
    [
      'is dropped if the token was sent to its sender',
      [moved(USDC, TRADER, TRADER, 100n), moved(USDT, OTHER, TRADER, 99n), hop(USDC, 100n, USDT, 99n, pool)],
      [],
    ],
    [
      'has the transfers nearest to the reported amounts',
      [
        moved(USDC, TRADER, OTHER, 90n),
        moved(USDC, TRADER, OTHER, 5n),
        moved(USDT, OTHER, TRADER, 1n),
        hop(USDC, 100n, USDT, 10n ** 30n, pool),
      ],
      ['90 -> 1?'],
    ],
  ])('%s', (_, steps, expected) => {
    expect(read(steps)).toEqual(expected)
  })
})
