import type { Address, EventState, Hex } from '@dexfeed/dex'
import type { RecordedBlock } from '@dexfeed/test/expected/chain-record'
import type { VerifiedPool } from '@dexfeed/test/expected/pool-events'
import type { IndexedChain } from '@dexfeed/test/expected/rows'
import type { DraftLog } from './chain/abi.ts'
import type { MadeWorld } from './chain/made/made-chain.ts'
import type { Market, Pool } from './chain/market.ts'
import type { PoolState } from './chain/pool-math.ts'
import type { ScriptedBlock, ScriptedChain } from './chain/scripted/scripted-chain.ts'

export function scriptedRows({ market, blocks }: ScriptedChain): IndexedChain {
  return indexedChain(market, blocks.map(recordedBlock))
}

/**
 * Converts a made chain, by default up to its first head.
 *
 * @param headTime of the first head, in seconds since 1970
 */
export function madeRows(world: MadeWorld, headTime: number, last = world.firstHead): IndexedChain {
  const { market, first } = world
  const blocks = Array.from({ length: last - first + 1 }, (_, i) => {
    const number = first + i
    const transactions = world.placedAt(number).map(({ logs: placed, ...transaction }) => ({ ...transaction, placed }))
    return recordedBlock({ number, timestamp: world.timeOf(number, headTime), transactions })
  })
  return indexedChain(market, blocks, world.laterPools(last))
}

function indexedChain(
  market: Market,
  blocks: readonly RecordedBlock[],
  laterPools: readonly Pool[] = [],
): IndexedChain {
  const { network, deployment } = market
  const pools = [...market.pools, ...laterPools]
  const tokens = [...market.tokens, ...laterPools.flatMap(({ token0, token1 }) => [token0, token1])]
  const facts = tokens.map(({ address, symbol, decimals }) => [address, { name: symbol, symbol, decimals }] as const)
  return {
    network,
    deployment,
    tokens: new Map<string, (typeof facts)[0][1]>(facts),
    pools: poolsOf({ pools, deployment }),
    blocks,
  }
}

/** Returns the pools that a configured factory confirms. */
export function poolsOf({ pools, deployment }: Pick<Market, 'pools' | 'deployment'>): Map<string, VerifiedPool> {
  const verified = pools.flatMap(({ address, kind, factory, token0, token1, fee }): [string, VerifiedPool][] => {
    const dex = deployment.dexes.find((deployed) => 'factory' in deployed && deployed.factory === factory)
    if (dex === undefined) return []
    return [[address, { address, kind, dex: dex.name, token0: token0.address, token1: token1.address, fee }]]
  })
  return new Map(verified)
}

interface PlacedTransaction {
  hash: Hex
  index: number
  from: Address | null
  value: bigint
  placed: readonly (DraftLog & { logIndex: number })[]
}

export function recordedBlock({
  number,
  timestamp,
  transactions,
}: Pick<ScriptedBlock, 'number' | 'timestamp'> & { transactions: readonly PlacedTransaction[] }): RecordedBlock {
  return {
    number,
    timestamp,
    transactions: transactions.map(({ hash, index, from, value, placed }) => ({
      hash,
      index,
      from: from ?? '',
      value,
      // Logs with shorter data are not events: contracts may emit these topics with any data.
      logs: placed
        .filter(({ data }) => data.length >= 66)
        .map(({ address, topics, data, logIndex }) => ({ address, topics: [...topics], data, index: logIndex })),
    })),
  }
}

export function stateText(state: EventState): string {
  return state.kind === 'pair'
    ? `${state.reserve0} ${state.reserve1}`
    : `${state.sqrtPriceX96} ${state.tick} ${state.liquidity}`
}

export function tickTexts(state: PoolState): string[] {
  return state.kind === 'pair' ? [] : [...state.ticks].map(([tick, { gross, net }]) => `${tick} ${gross} ${net}`)
}
