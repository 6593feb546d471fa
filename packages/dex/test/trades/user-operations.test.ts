import { describe, expect, it, test } from 'vitest'
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
  THEM,
  TOK,
  TWIN,
  traded,
  UNIT,
  USDC,
  WETH,
  YOU,
} from './settled-receipt.ts'

describe('operations of one bundle', () => {
  const bought = traded(ME, DEEP, [USDC, 1_000n * UNIT], [WETH, 50n * CENT])
  const sold = traded(YOU, DEEP, [WETH, 100n * CENT], [USDC, 1_990n * UNIT])

  it('of opposite directions are two rows', () => {
    expect(rowsOf(begun, ...bought, operation(ME), ...sold, operation(YOU)).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [3]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [7]],
    ])
  })

  it('that go on with each other’s tokens are two rows', () => {
    const onwards = traded(YOU, SIDE, [WETH, 50n * CENT], [TOK, 900n])
    expect(rowsOf(begun, ...bought, operation(ME), ...onwards, operation(YOU)).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [3]],
      [YOU, WETH, 50n * CENT, TOK, 900n, 1_000, [7]],
    ])
  })

  it('of one account are one trade', () => {
    const onwards = traded(ME, SIDE, [WETH, 50n * CENT], [TOK, 900n])
    const other = traded(YOU, OTHER, [USDC, 10n * UNIT], [WETH, CENT])
    expect(
      rowsOf(begun, ...bought, operation(ME), ...other, operation(YOU), ...onwards, operation(ME)).map(amounts),
    ).toEqual([
      [ME, USDC, 1_000n * UNIT, TOK, 900n, 1_000, [3, 11]],
      [YOU, USDC, 10n * UNIT, WETH, CENT, 10, [7]],
    ])
  })

  it('do not mix with what is paid before them, which counts for its account', () => {
    const gas = moved(USDC, ME, BUNDLER, 3n * UNIT)
    expect(rowsOf(gas, begun, ...bought, operation(ME), ...sold, operation(YOU)).map(amounts)).toMatchObject([
      [ME, USDC, 1_003n * UNIT, WETH, 50n * CENT, 1_000, [4]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [8]],
    ])
  })

  it('do not give an account what another one paid it in its own operation', () => {
    const gift = moved(WETH, YOU, ME, 7n)
    expect(rowsOf(begun, ...bought, operation(ME), gift, ...sold, operation(YOU)).map(amounts)[0]).toEqual([
      ...[ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [3]],
    ])
  })

  it('count what another account pays in them for the account whose they are', () => {
    const allowed = [moved(USDC, ME, YOU, 9n), moved(WETH, YOU, ME, 7n)]
    expect(rowsOf(begun, ...allowed, ...bought, operation(ME), ...sold, operation(YOU)).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT + 9n, WETH, 50n * CENT + 7n, 1_000, [5]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [9]],
    ])
    // A gift is not part of a trade.
    const given = moved(WETH, YOU, ME, 7n)
    expect(rowsOf(begun, given, ...bought, operation(ME)).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [4]],
    ])
  })

  it('end with the events of an entry point alone', () => {
    const forged = { ...operation(THEM), address: THEM }
    expect(rowsOf(begun, ...bought, forged, operation(ME), ...sold, operation(YOU)).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [3]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [8]],
    ])
  })

  it('continue after an event that another contract forges', () => {
    const forged = { ...operation(THEM), address: THEM }
    const fee = moved(USDC, ME, BUNDLER, UNIT)
    expect(rowsOf(begun, ...bought, forged, fee, operation(ME), ...sold, operation(YOU)).map(amounts)).toEqual([
      [ME, USDC, 1_001n * UNIT, WETH, 50n * CENT, 1_000, [3]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [9]],
    ])
  })

  it('that failed are outside, and so is what was paid before them', () => {
    const gas = moved(WETH, YOU, THEM, 7n)
    expect(rowsOf(gas, begun, ...bought, operation(ME, 0n), ...sold, operation(YOU)).map(amounts)).toEqual([
      [null, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [4]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [8]],
    ])
  })

  it('do not count what their account pays for a swap beside them', () => {
    const beside = traded(ME, OTHER, [USDC, 10n * UNIT], [WETH, CENT])
    expect(rowsOf(...beside, begun, ...bought, operation(ME)).map(amounts)).toEqual([
      [null, USDC, 10n * UNIT, WETH, CENT, 10, [2]],
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [6]],
    ])
  })

  it('leave a swap beside them to no account', () => {
    const beside = traded(BUNDLER, OTHER, [USDC, 10n * UNIT], [WETH, CENT])
    expect(rowsOf(...beside, begun, ...bought, operation(ME), ...sold, operation(YOU)).map(amounts)).toEqual([
      [null, USDC, 10n * UNIT, WETH, CENT, 10, [2]],
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [6]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [10]],
    ])
  })

  it('whose events all come at the end are rows by the nets of their accounts', () => {
    expect(rowsOf(begun, ...bought, ...sold, operation(ME), operation(YOU)).map(amounts)).toEqual([
      [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [3]],
      [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [6]],
    ])
  })

  it('that failed end the logs before them, too', () => {
    const fee = moved(USDC, YOU, BUNDLER, UNIT)
    const rows = rowsOf(begun, ...bought, operation(ME), fee, operation(YOU, 0n), ...sold, operation(THEM))
    expect(rows.map(({ settledFor }) => settledFor)).toEqual([ME, THEM])
  })
})

test('a token that two accounts trade in does not go from pool to pool', () => {
  const bought = traded(ME, SIDE, [WETH, 50n * CENT], [TOK, 900n])
  const sold = traded(YOU, TWIN, [TOK, 500n], [WETH, 27n * CENT])
  const rows = rowsOf(begun, ...bought, operation(ME), ...sold, operation(YOU))
  expect(rows.map(({ moves }) => moves)).toEqual([undefined, undefined])
  const mine = traded(ME, TWIN, [TOK, 500n], [WETH, 27n * CENT])
  expect(rowsOf(begun, ...bought, ...mine, operation(ME))[0]?.moves).toEqual([{ token: TOK, isWhole: false }])
})

test('what a bundler swaps beside an operation is not the account’s', () => {
  const bought = traded(ME, DEEP, [USDC, 1_000n * UNIT], [WETH, 50n * CENT])
  const beside = traded(BUNDLER, OTHER, [USDC, 10n * UNIT], [WETH, CENT])
  expect(rowsOf(...beside, begun, ...bought, operation(ME)).map(amounts)).toEqual([
    [null, USDC, 10n * UNIT, WETH, CENT, 10, [2]],
    [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [6]],
  ])
})

test('events before all hops name their accounts', () => {
  const bought = traded(ME, DEEP, [USDC, 1_000n * UNIT], [WETH, 50n * CENT])
  const sold = traded(YOU, OTHER, [WETH, 100n * CENT], [USDC, 1_990n * UNIT])
  expect(rowsOf(operation(ME), ...bought).map(amounts)).toEqual([
    [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [3]],
  ])
  expect(rowsOf(operation(ME), operation(YOU), ...bought, ...sold).map(amounts)).toEqual([
    [ME, USDC, 1_000n * UNIT, WETH, 50n * CENT, 1_000, [4]],
    [YOU, WETH, 100n * CENT, USDC, 1_990n * UNIT, 1_990, [7]],
  ])
})
