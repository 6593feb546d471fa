import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { at, madeHop, madePool } from '../../test/made-hop.ts'
import type { Pool } from '../pool.ts'
import { isFeeBetweenHops } from './routes.ts'
import { tokenMoves } from './token-moves.ts'
import type { Hop } from './trade.ts'

const [FOO, BAR, BAZ] = [at('f0'), at('ba2'), at('ba3')]
const TOKENS = [FOO, BAR, BAZ]
const POOLS = ['b1', 'b2', 'b3', 'b4'].map(at)
const [VAULT] = [at('aa')]

/** Two of the pools keep their tokens in the same vault. */
const poolOf = (place: number): Pool =>
  madePool(POOLS[place] ?? VAULT, [FOO, BAR], {
    dex: { name: 'v2', kind: 'uniswap-v2', factory: at('f'), ...(place < 2 && { contracts: { vault: VAULT } }) },
  })
const keeper = ({ address, dex }: Pool) => dex.contracts?.vault ?? address

const hop = fc
  .record({
    place: fc.nat(3),
    sold: fc.nat(2),
    further: fc.integer({ min: 1, max: 2 }),
    amountIn: fc.constantFrom(80n, 98n, 99n, 100n),
    amountOut: fc.constantFrom(80n, 99n, 100n),
    recipient: fc.constantFrom(null, ...POOLS),
  })
  .map(({ place, sold, further, amountIn, amountOut, recipient }) =>
    madeHop(1, [TOKENS[sold] ?? FOO, amountIn], [TOKENS[(sold + further) % 3] ?? FOO, amountOut], {
      pool: poolOf(place),
      recipient,
    }),
  )

/** Implements `arrivedWhole` by comparing each pair of hops. */
function plainly(payers: readonly Hop[], takers: readonly Hop[]): boolean | null {
  const isTaxed = payers.some((payer) => {
    const paid = takers.filter(({ pool }) => pool.address === payer.recipient && pool.address !== payer.pool.address)
    return paid.length > 0 && paid.every(({ amountIn }) => amountIn < payer.amountOut)
  })
  if (isTaxed) return false
  const moves = payers.flatMap((payer) =>
    takers.filter(({ pool }) => keeper(pool) !== keeper(payer.pool)).map((taker) => ({ payer, taker })),
  )
  if (moves.some(({ payer, taker }) => payer.amountOut === taker.amountIn)) return true
  const [only] = moves
  if (only === undefined || payers.length + takers.length > 2) return null
  const { payer, taker } = only
  return taker.amountIn < payer.amountOut && !isFeeBetweenHops(payer.amountOut, taker.amountIn) ? false : null
}

test('a token’s move is what comparing each two hops shows', () => {
  fc.assert(
    fc.property(fc.array(hop, { minLength: 2, maxLength: 6 }), (hops) => {
      const expected = TOKENS.flatMap((token) => {
        const payers = hops.filter(({ tokenOut }) => tokenOut === token)
        const takers = hops.filter(({ tokenIn }) => tokenIn === token)
        const isWhole = payers.length === 0 ? null : plainly(payers, takers)
        return isWhole === null ? [] : [{ token, isWhole }]
      })
      const actual = [...tokenMoves(hops, new Set())].sort((a, b) => TOKENS.indexOf(a.token) - TOKENS.indexOf(b.token))
      expect(actual).toEqual(expected)
    }),
    { numRuns: 600 * inject('scale') },
  )
})
