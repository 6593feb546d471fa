import type { TokenMoveAt } from '@dexfeed/dex'
import type { MarketFrame } from '@dexfeed/store'
import { hexNumber } from '@dexfeed/test-setup/seed'
import { expect, test } from 'vitest'
import { KnownMoves } from './known-moves.ts'

const [X, Y, LISTED] = [hexNumber(1), hexNumber(2), hexNumber(3)]
const NOW = 1_700_000_000

/** Three traders each moved these tokens whole. */
function moved(...tokens: readonly string[]): TokenMoveAt[] {
  return tokens.flatMap((token) =>
    [1, 2, 3].map((n) => ({
      ...{ token: token as TokenMoveAt['token'], isWhole: true, blockNumber: n, transactionIndex: 0 },
      ...{ timestamp: NOW - 100, trader: hexNumber(100 + n) },
    })),
  )
}

function frameOf(...trusted: TokenMoveAt['token'][]): MarketFrame {
  const network = { head: { timestamp: NOW }, finalNumber: 5, covered: [] }
  return { network, trusted, invalidated: [] } as unknown as MarketFrame
}

test('reports tokens that are no longer proven after all moves were re-read, and those no longer listed', async () => {
  let rows = moved(X)
  const reader = {
    tokenMoves: async (_network: unknown, _known: unknown, take: (page: TokenMoveAt[]) => void) => take(rows),
  }
  const everything = new KnownMoves()
  await everything.update(reader as never, frameOf(LISTED), null)
  expect(new Map(everything.changes(frameOf(LISTED)))).toEqual(
    new Map([
      [X, 'proven'],
      [LISTED, 'listed'],
    ]),
  )
  rows = moved(Y)
  everything.forget()
  await everything.update(reader as never, frameOf(LISTED), null)
  expect(new Map(everything.changes(frameOf(LISTED)))).toEqual(
    new Map([
      [X, null],
      [Y, 'proven'],
    ]),
  )
  expect(everything.changes(frameOf(X, X))).toEqual(
    expect.arrayContaining([
      [X, 'listed'],
      [LISTED, null],
    ]),
  )
  expect(everything.changes(frameOf(X))).toEqual([])
})

test('reads blocks that were covered before the first head, once there is a head', async () => {
  const requested: unknown[] = []
  const reader = {
    tokenMoves: async (_network: unknown, known: unknown) => void requested.push(known),
  }
  const moves = new KnownMoves()
  const covered = [{ from: 0, to: 5, fromTime: 0, toTime: NOW }]
  const frameAt = (head: object | null) =>
    ({ ...frameOf(), network: { head, finalNumber: 5, covered } }) as unknown as MarketFrame
  await moves.update(reader as never, frameAt(null), null)
  await moves.update(reader as never, frameAt({ timestamp: NOW }), null)
  await moves.update(reader as never, frameAt({ timestamp: NOW }), null)
  expect(requested).toEqual([[], [], covered])
})

test('a listed token that arrived short within a week is taxed', async () => {
  let rows = moved(X).map((move) => ({ ...move, token: LISTED, isWhole: false }))
  const reader = {
    tokenMoves: async (_network: unknown, _known: unknown, take: (page: TokenMoveAt[]) => void) => take(rows),
  }
  const moves = new KnownMoves()
  const changes = async () => {
    moves.forget()
    await moves.update(reader as never, frameOf(LISTED), null)
    return moves.changes(frameOf(LISTED))
  }
  expect(await changes()).toEqual([[LISTED, 'taxed']])
  expect(moves.evidence(LISTED)).toEqual({ proof: 'none', moves: 3, short: 3 })
  rows = []
  expect(await changes()).toEqual([[LISTED, 'listed']])
  expect(moves.evidence(LISTED)).toEqual({ proof: 'trusted', moves: 0, short: 0 })
})
