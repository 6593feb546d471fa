import { formulaKind, type PoolState } from '@dexfeed/dex'

// In units of gas, rounded from public figures of routers. A real transaction differs with its router, cold storage,
// crossed ticks and transfers.

/** Calldata, and the router's checks and last transfer. */
const TRANSACTION = 50_000
const PART = 20_000
const PAIR = 70_000
const CONCENTRATED = 100_000
const OTHER_FORMULA = 180_000

/** @param parts the states of each part's pools */
export function gasEstimate(parts: readonly (readonly PoolState[])[]): number {
  const hops = parts.flat().reduce((sum, state) => sum + gasOfHop(state), 0)
  return TRANSACTION + Math.max(0, parts.length - 1) * PART + hops
}

function gasOfHop(state: PoolState): number {
  if (state.kind === 'pair') return PAIR
  if (state.kind === 'concentrated') return CONCENTRATED
  return formulaKind(state.formula)?.gas ?? OTHER_FORMULA
}
