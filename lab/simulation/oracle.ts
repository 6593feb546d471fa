import type { EventState } from '@dexfeed/dex'
import type { RecordedBlock } from '@dexfeed/test/expected/chain-record'
import type { VerifiedPool } from '@dexfeed/test/expected/pool-events'
import type { IndexedChain } from '@dexfeed/test/expected/rows'
import type { TokenFacts } from '@dexfeed/test/expected/tokens'
import type { ScriptedBlock, ScriptedChain } from '../index.ts'

export function indexedChain({ market, blocks }: ScriptedChain): IndexedChain {
  const { network, deployment } = market
  const tokens = market.tokens.map(({ address, symbol, decimals }): [string, TokenFacts] => [
    address,
    { name: symbol, symbol, decimals },
  ])
  return { network, deployment, tokens: new Map(tokens), pools: poolsOf(market), blocks: blocks.map(recordedBlock) }
}

export function poolsOf({ pools, deployment }: ScriptedChain['market']): Map<string, VerifiedPool> {
  return new Map(
    pools.map(({ address, factory, token0, token1, fee, tickSpacing }): [string, VerifiedPool] => {
      const dex = deployment.dexes.find((one) => one.factory === factory)?.name ?? ''
      const kind = tickSpacing === null ? 'uniswap-v2' : 'uniswap-v3'
      return [address, { address, kind, dex, token0: token0.address, token1: token1.address, fee }]
    }),
  )
}

export function recordedBlock({ number, timestamp, transactions }: ScriptedBlock): RecordedBlock {
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

export function stateText(
  state: ScriptedBlock['states'] extends ReadonlyMap<string, infer S> ? S | EventState : never,
): string {
  return state.kind === 'pair'
    ? `${state.reserve0} ${state.reserve1}`
    : `${state.sqrtPriceX96} ${state.tick} ${state.liquidity}`
}
