import { describe, expect, it, test } from 'vitest'
import type { Address } from '../../src/chain.ts'
import {
  amounts,
  BUNDLER,
  begun,
  CENT,
  DEEP,
  ME,
  moved,
  OTHER,
  operation,
  rowsOf,
  SIDE,
  type Steps,
  THEM,
  TOK,
  TWIN,
  traded,
  UNIT,
  USDC,
  WETH,
  YOU,
} from './settled-receipt.ts'

const bought = traded(ME, DEEP, [USDC, 1_000n * UNIT], [WETH, 50n * CENT])
const sold = traded(YOU, DEEP, [WETH, 100n * CENT], [USDC, 1_990n * UNIT])
const mine = (...hops: number[]) => [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, hops]
const yours = (...hops: number[]) => [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, hops]
const onwards = (account: Address) => traded(account, SIDE, [WETH, 50n * CENT], [TOK, 900n])
const small = (account: Address) => traded(account, OTHER, [USDC, 10n * UNIT], [WETH, CENT])
const smallRow = (account: Address | null, ...hops: number[]) => [account, USDC, 10n * UNIT, WETH, CENT, 10, hops]
const forged = { ...operation(THEM), address: THEM }

describe('operations of one bundle', () => {
  it.each<[string, Steps, unknown[][]]>([
    [
      'of opposite directions are two rows',
      [begun, ...bought, operation(ME), ...sold, operation(YOU)],
      [mine(3), yours(7)],
    ],
    [
      'that go on with each other’s tokens are two rows',
      [begun, ...bought, operation(ME), ...onwards(YOU), operation(YOU)],
      [mine(3), [YOU, WETH, 50n * CENT, TOK, 900n, 1_000, [7]]],
    ],
    [
      'of one account are one trade',
      [begun, ...bought, operation(ME), ...small(YOU), operation(YOU), ...onwards(ME), operation(ME)],
      [[ME, USDC, 1_000n * UNIT, TOK, 900n, 1_000, [3, 11]], smallRow(YOU, 7)],
    ],
    [
      'do not mix with what is paid before them, which counts for its account',
      [moved(USDC, ME, BUNDLER, 3n * UNIT), begun, ...bought, operation(ME), ...sold, operation(YOU)],
      [[ME, USDC, 1_003n * UNIT, WETH, 50n * CENT, 1_000, [4]], yours(8)],
    ],
    [
      'do not give an account what another one paid it in its own operation',
      [begun, ...bought, operation(ME), moved(WETH, YOU, ME, 7n), ...sold, operation(YOU)],
      [mine(3), [YOU, WETH, 100n * CENT + 7n, USDC, 1_990n * UNIT, 1_990, [8]]],
    ],
    [
      'count what another account pays in them for the account whose they are',
      [
        ...[begun, moved(USDC, ME, YOU, 9n), moved(WETH, YOU, ME, 7n), ...bought, operation(ME)],
        ...[...sold, operation(YOU)],
      ],
      [[ME, USDC, 1_000n * UNIT + 9n, WETH, 50n * CENT + 7n, 1_000, [5]], yours(9)],
    ],
    ['count no gift', [begun, moved(WETH, YOU, ME, 7n), ...bought, operation(ME)], [mine(4)]],
    [
      'end with the events of an entry point alone',
      [begun, ...bought, forged, operation(ME), ...sold, operation(YOU)],
      [mine(3), yours(8)],
    ],
    [
      'continue after an event that another contract forges',
      [begun, ...bought, forged, moved(USDC, ME, BUNDLER, UNIT), operation(ME), ...sold, operation(YOU)],
      [[ME, USDC, 1_001n * UNIT, WETH, 50n * CENT, 1_000, [3]], yours(9)],
    ],
    [
      'that failed are outside, and so is what was paid before them',
      [moved(WETH, YOU, THEM, 7n), begun, ...bought, operation(ME, 0n), ...sold, operation(YOU)],
      [[null, ...mine(4).slice(1)], yours(8)],
    ],
    [
      'do not count what their account pays for a swap beside them',
      [...small(ME), begun, ...bought, operation(ME)],
      [smallRow(null, 2), mine(6)],
    ],
    [
      'leave a swap beside them to no account',
      [...small(BUNDLER), begun, ...bought, operation(ME), ...sold, operation(YOU)],
      [smallRow(null, 2), mine(6), yours(10)],
    ],
    [
      'whose events all come at the end are rows by the nets of their accounts',
      [begun, ...bought, ...sold, operation(ME), operation(YOU)],
      [mine(3), yours(6)],
    ],
  ])('%s', (_, steps, rows) => {
    expect(rowsOf(...steps).map(amounts)).toEqual(rows)
  })

  it('that failed end the logs before them, too', () => {
    const fee = moved(USDC, YOU, BUNDLER, UNIT)
    const rows = rowsOf(begun, ...bought, operation(ME), fee, operation(YOU, 0n), ...sold, operation(THEM))
    expect(rows.map(({ settledFor }) => settledFor)).toEqual([ME, THEM])
  })
})

test('a token that two accounts trade in does not go from pool to pool', () => {
  const ours = traded(ME, SIDE, [WETH, 50n * CENT], [TOK, 900n])
  const theirs = traded(YOU, TWIN, [TOK, 500n], [WETH, 27n * CENT])
  const rows = rowsOf(begun, ...ours, operation(ME), ...theirs, operation(YOU))
  expect(rows.map(({ moves }) => moves)).toEqual([undefined, undefined])
  const back = traded(ME, TWIN, [TOK, 500n], [WETH, 27n * CENT])
  expect(rowsOf(begun, ...ours, ...back, operation(ME))[0]?.moves).toEqual([{ token: TOK, isWhole: false }])
})

test('events before all hops name their accounts', () => {
  const other = traded(YOU, OTHER, [WETH, 100n * CENT], [USDC, 1_990n * UNIT])
  expect(rowsOf(operation(ME), ...bought).map(amounts)).toEqual([mine(3)])
  expect(rowsOf(operation(ME), operation(YOU), ...bought, ...other).map(amounts)).toEqual([mine(4), yours(7)])
})
