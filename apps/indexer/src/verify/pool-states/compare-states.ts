import type { PoolAddress, PoolState, PoolStateAt, TickLiquidityAt } from '@dexfeed/dex'

export interface StateDifference {
  pool: PoolAddress
  blockNumber: number
  columns: { name: string; stored: string; chain: string }[]
}

interface States {
  states: readonly PoolStateAt[]
  ticks: readonly TickLiquidityAt[]
}

const NOTHING = 'nothing'

/**
 * Compares states at the same block, with gross and net liquidity of every initialised tick. Skips a formula's state
 * that is unknown or changes with time alone, because it is read again anyway. A quoted pool without a state on the
 * chain counts as different.
 */
export function compareStates(blockNumber: number, stored: States, read: States): StateDifference[] {
  const chainStates = new Map(read.states.map(({ pool, state }) => [pool, state]))
  const storedTicks = ticksByPool(stored)
  const chainTicks = ticksByPool(read)
  return stored.states.flatMap(({ pool, state }) => {
    if (state.kind === 'formula' && (state.values === null || state.freshUntil !== null)) return []
    const chain = chainStates.get(pool)
    if (chain === undefined) {
      const columns = [{ name: 'state', stored: state.kind, chain: NOTHING }]
      return isQuoted(state) ? [{ pool, blockNumber, columns }] : []
    }
    const columns = [
      ...differing(partsOf(state), partsOf(chain)),
      ...differing(storedTicks.get(pool) ?? new Map(), chainTicks.get(pool) ?? new Map()),
    ]
    return columns.length === 0 ? [] : [{ pool, blockNumber, columns }]
  })
}

function isQuoted(state: PoolState): boolean {
  return state.fee?.exact !== false
}

function differing(
  stored: ReadonlyMap<string, string>,
  chain: ReadonlyMap<string, string>,
): StateDifference['columns'] {
  const names = new Set([...stored.keys(), ...chain.keys()])
  return [...names].flatMap((name) => {
    const values = { stored: stored.get(name) ?? NOTHING, chain: chain.get(name) ?? NOTHING }
    return values.stored === values.chain ? [] : [{ name, ...values }]
  })
}

function partsOf(state: PoolState): Map<string, string> {
  const { fee } = state
  if (state.kind === 'formula') return textsOf({ formula: state.formula, values: (state.values ?? []).join(' ') })
  return textsOf({
    ...(state.kind === 'pair'
      ? { reserve0: state.reserve0, reserve1: state.reserve1 }
      : { sqrt_price_x96: state.sqrtPriceX96, tick: state.tick, liquidity: state.liquidity }),
    ...(fee && { fee_zero_for_one: fee.zeroForOne, fee_one_for_zero: fee.oneForZero, fee_exact: fee.exact }),
  })
}

function textsOf(values: Record<string, bigint | number | boolean | string>): Map<string, string> {
  return new Map(Object.entries(values).map(([name, value]) => [name, String(value)]))
}

function ticksByPool({ ticks }: States): Map<PoolAddress, Map<string, string>> {
  const byPool = new Map<PoolAddress, Map<string, string>>()
  for (const { pool, tick, gross, net } of ticks) {
    const ofPool = byPool.get(pool) ?? new Map<string, string>()
    byPool.set(pool, ofPool.set(`tick ${tick}`, `${gross} gross ${net} net`))
  }
  return byPool
}
