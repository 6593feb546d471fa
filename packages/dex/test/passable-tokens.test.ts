import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { PassableTokens, type TokenMoveAt } from '../src/quote/passable-tokens.ts'
import { tokenAddress } from './random/market.ts'

const DAY = 86_400
const WEEK = 7 * DAY
const X = tokenAddress(1)

function move(block: number, trader: number | null, over: Partial<TokenMoveAt> = {}): TokenMoveAt {
  return {
    token: X,
    isWhole: true,
    blockNumber: block,
    transactionIndex: 0,
    timestamp: block * 100,
    trader: trader === null ? null : tokenAddress(100 + trader),
    ...over,
  }
}

function passes(now: number, ...moves: TokenMoveAt[]): boolean {
  const tokens = new PassableTokens()
  tokens.add(moves)
  return passesAt(tokens, now)
}

function passesAt(tokens: PassableTokens, now: number): boolean {
  tokens.update(now)
  return tokens.passable.has(X)
}

test('three traders that moved a token whole within a week, since it last arrived short, make it passable', () => {
  const moves = fc.array(
    fc
      .record({
        token: fc.nat({ max: 1 }),
        trader: fc.option(fc.nat({ max: 4 })),
        blockNumber: fc.nat({ max: 12 }),
        transactionIndex: fc.nat({ max: 2 }),
        isWhole: fc.integer({ min: 0, max: 15 }).map((die) => die > 0),
      })
      .map(({ token, trader, blockNumber, ...rest }) =>
        move(blockNumber, trader, { token: tokenAddress(token), timestamp: blockNumber * DAY, ...rest }),
      ),
    { minLength: 8, maxLength: 40 },
  )
  const plainly = (all: readonly TokenMoveAt[], now: number) =>
    [0, 1].map(tokenAddress).filter((token) => {
      const own = all.filter((tokenMoveAt) => tokenMoveAt.token === token && tokenMoveAt.timestamp > now - WEEK)
      const place = (tokenMoveAt: TokenMoveAt) => 100 * tokenMoveAt.blockNumber + tokenMoveAt.transactionIndex
      const last = Math.max(-1, ...own.filter(({ isWhole }) => !isWhole).map(place))
      const since = own.filter(
        (tokenMoveAt) => tokenMoveAt.isWhole && place(tokenMoveAt) > last && tokenMoveAt.trader !== null,
      )
      return new Set(since.map(({ trader }) => trader)).size >= 3
    })
  let passable = 0
  fc.assert(
    fc.property(moves, fc.array(fc.nat()), fc.integer({ min: 12, max: 19 }), (all, order, day) => {
      const tokens = new PassableTokens()
      const mixed = all.map((tokenMoveAt, at) => ({ one: tokenMoveAt, key: order[at % (order.length || 1)] ?? 0 }))
      for (const { one } of mixed.sort((a, b) => a.key - b.key)) tokens.add([one])
      for (const now of [12 * DAY, day * DAY]) {
        tokens.update(now)
        expect([...tokens.passable].sort()).toEqual(plainly(all, now))
        passable += plainly(all, now).length
      }
    }),
    { numRuns: 200 * inject('scale') },
  )
  expect(passable).toBeGreaterThan(0)
})

test('what is rolled back never counted, and what is final stays', () => {
  const drawn = fc.array(
    fc.record({ block: fc.integer({ min: 1, max: 12 }), trader: fc.nat({ max: 4 }), isWhole: fc.nat({ max: 9 }) }),
    { maxLength: 30 },
  )
  const steps = fc.array(fc.tuple(drawn, fc.integer({ min: 0, max: 12 }), fc.boolean()), { minLength: 1, maxLength: 8 })
  const whole = [1, 2, 3].map((trader) => ({ block: trader, trader, isWhole: 1 }))
  const short = [{ block: 4, trader: 4, isWhole: 0 }]
  const shortRolledBack: [typeof whole, number, boolean][] = [
    [whole, 0, false],
    [short, 3, true],
  ]
  let passable = 0
  fc.assert(
    fc.property(steps, (all) => {
      const tokens = new PassableTokens()
      let [final, known] = [0, [] as TokenMoveAt[]]
      for (const [moves, block, isRollback] of all) {
        const added = moves.map(({ block: number, trader, isWhole }) => move(number, trader, { isWhole: isWhole > 0 }))
        tokens.add(added, final)
        known.push(...added)
        if (isRollback && block >= final) {
          tokens.rollBack(block)
          known = known.filter(({ blockNumber }) => blockNumber <= block)
        } else if (block > final) {
          final = block
          tokens.settle(final)
        }
        expect(passesAt(tokens, 5_000)).toBe(passes(5_000, ...known))
        passable += Number(tokens.passable.has(X))
      }
    }),
    { numRuns: 100 * inject('scale'), examples: [[shortRolledBack]] },
  )
  expect(passable).toBeGreaterThan(0)
})

// The result does not depend on the updates in between: it equals that of adding all moves first and updating once.
test('time advances and goes back a little, and the changes are returned', () => {
  const step = fc.record({
    seconds: fc.constantFrom(-3_000, -60, 0, 12, 12, 700, 4_000, DAY, 3 * DAY, 8 * DAY),
    moves: fc.array(fc.record({ token: fc.nat({ max: 2 }), trader: fc.nat({ max: 3 }), isWhole: fc.nat({ max: 9 }) }), {
      maxLength: 4,
    }),
  })
  let changes = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
      const tokens = new PassableTokens()
      const [passable, arrivedShort] = [new Set<string>(), new Set<string>()]
      const added: TokenMoveAt[] = []
      let [now, latest] = [WEEK, WEEK]
      steps.forEach(({ seconds, moves }, block) => {
        // A rollback moves the time back by less than the margin for which expired moves are kept.
        now = Math.max(now + seconds, latest - 3_000)
        latest = Math.max(latest, now)
        const own = moves.map(({ token, trader, isWhole }, at) => {
          const place = { token: tokenAddress(token), transactionIndex: at, timestamp: now }
          return move(block, trader, { ...place, isWhole: isWhole > 0 })
        })
        added.push(...own)
        tokens.add(own)
        for (const token of tokens.update(now)) {
          changes++
          passable.delete(token)
          arrivedShort.delete(token)
          if (tokens.passable.has(token)) passable.add(token)
          if (tokens.short.has(token)) arrivedShort.add(token)
        }
        const fresh = new PassableTokens()
        fresh.add(added)
        fresh.update(now)
        expect([...tokens.passable].sort()).toEqual([...fresh.passable].sort())
        expect([...passable].sort()).toEqual([...fresh.passable].sort())
        expect([...arrivedShort].sort()).toEqual([...fresh.short].sort())
      })
    }),
    { numRuns: 60 * inject('scale') },
  )
  expect(changes).toBeGreaterThan(0)
})
