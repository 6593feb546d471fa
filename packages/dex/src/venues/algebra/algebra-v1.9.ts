import { selectorOf } from '../../abi/fragment.ts'
import { hasWords, uintWord } from '../../abi/words.ts'
import { scanByViews } from '../../tick-scan/tick-scan.ts'
import { type Identity, NO_REFERENCES, type Protocol, type StateReading } from '../protocol.ts'
import { readTick } from '../tick-bitmap.ts'
import { uniswapV3 } from '../uniswap-v3/uniswap-v3.ts'
import { ALGEBRA_TICKS, algebraV1, GLOBAL_STATE, LIQUIDITY, readAlgebraState, TICK_TABLE, TICKS } from './algebra-v1.ts'

const LIMIT_ORDER_SPACING = selectorOf('function tickSpacingLimitOrders() view returns (int24)')

const TICK_WORDS = 9
const LIMIT_ORDERS_WORD = 8

const { identity } = algebraV1

/** Like V1's, but the tick spacing may change, and swaps go from one initialised tick to the next. */
export const ALGEBRA_LIST_IDENTITY: Identity =
  identity.by === 'factory' ? { ...identity, settle: () => ({ fee: 0, tickSpacing: 0 }) } : identity

export const ALGEBRA_LIST_TICKS: NonNullable<StateReading['ticks']> = { ...ALGEBRA_TICKS, bitSpacing: 1 }

/**
 * @cryptoalgebra/core 3: V1 plus limit orders. Pools with such orders are not quoted, even if the first one came after
 * the state was read.
 */
export const algebraV19: Protocol = {
  ...algebraV1,
  kind: 'algebra-v1.9',
  about: {
    name: 'Algebra 1.9',
    verifiedBy: 'as Algebra V1',
    notCovered: 'as Algebra V1; quotes of pools with limit orders',
  },
  identity: ALGEBRA_LIST_IDENTITY,
  state: {
    beginsRead: true,
    *steps({ address }) {
      const results = yield [GLOBAL_STATE, LIQUIDITY, LIMIT_ORDER_SPACING].map((data) => ({ to: address, data }))
      return results[2] ? readAlgebraState(results, { words: 7, feeWord: 3 }) : null
    },
    ticks: {
      ...ALGEBRA_LIST_TICKS,
      read: (tick, reply) =>
        hasWords(reply, TICK_WORDS) && uintWord(reply, LIMIT_ORDERS_WORD) === 0n ? readTick(tick, reply) : null,
      scan: scanByViews(TICK_TABLE, TICKS, { words: TICK_WORDS, at: LIMIT_ORDERS_WORD }),
    },
  },
}

/** Not quoted, because its fees are not tracked. */
export const algebraDirectional: Protocol = {
  kind: 'algebra-directional',
  about: {
    name: 'Algebra 1.9 with a fee per direction (THENA Fusion)',
    verifiedBy: 'as Algebra V1',
    notCovered: null,
  },
  family: 'concentrated',
  events: uniswapV3.events,
  holdsTokens: true,
  identity: ALGEBRA_LIST_IDENTITY,
  state: null,
  ...NO_REFERENCES,
}
