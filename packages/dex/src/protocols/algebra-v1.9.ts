import { hasWords, intWord } from '../abi-words.ts'
import type { Log } from '../block.ts'
import type { Hex } from '../hex.ts'
import type { FeeEvent } from '../pool-event.ts'
import { ALGEBRA_TICKS, algebraV1, feeEvent, GLOBAL_STATE, LIQUIDITY, readAlgebraState } from './algebra-v1.ts'
import type { Identity, Protocol, StateReading } from './protocol.ts'

/** TickSpacing(int24 newTickSpacing, int24 newTickSpacingLimitOrders) */
const TICK_SPACING: Hex = '0xb8aba2df34923184c9a36375c4555c9f807234ffee9fd39d57e971170c593b71'
/** tickSpacingLimitOrders() */
const LIMIT_ORDER_SPACING: Hex = '0x18dd8891'
/** type(int24).max: the pool takes no limit orders */
const NO_LIMIT_ORDERS = 8_388_607n

const { identity } = algebraV1

/** As V1, but the tick spacing may change and swaps go from one initialised tick to the next. */
export const ALGEBRA_LIST_IDENTITY: Identity =
  identity.by === 'factory' ? { ...identity, settle: () => ({ fee: 0, tickSpacing: 0 }) } : identity

/** The table of these versions has a bit for every tick. */
export const ALGEBRA_LIST_TICKS: NonNullable<StateReading['ticks']> = { ...ALGEBRA_TICKS, bitSpacing: 1 }

/**
 * Algebra 1.9 (@cryptoalgebra/core 3): V1's events and oracle; pools may take limit orders, which stand between the
 * ticks of a swap. Their trades are read, but a pool that ever took them is not quoted.
 */
export const algebraV19: Protocol = {
  ...algebraV1,
  kind: 'algebra-v1.9',
  events: { ...algebraV1.events, [TICK_SPACING]: decodeTickSpacing },
  identity: ALGEBRA_LIST_IDENTITY,
  state: {
    beginsRead: true,
    questions: ({ address }) => [GLOBAL_STATE, LIQUIDITY, LIMIT_ORDER_SPACING].map((data) => ({ to: address, data })),
    read: (_pool, answers) => {
      const spacing = answers[2]
      const takesNone = spacing && hasWords(spacing, 1) && intWord(spacing, 0) === NO_LIMIT_ORDERS
      return takesNone ? readAlgebraState(answers, { words: 7, feeWord: 3 }) : null
    },
    ticks: ALGEBRA_LIST_TICKS,
  },
}

/** Orders outlast their spacing, so a pool that began to take them stays inexact. */
function decodeTickSpacing(log: Log): FeeEvent | null {
  const { data, topics } = log
  if (topics.length !== 1 || !hasWords(data, 2)) return null
  return feeEvent(log, intWord(data, 1) === NO_LIMIT_ORDERS ? {} : { exact: false })
}
