import type { EventState } from '@dexfeed/dex'
import type { ScriptedBlock, ScriptedChain } from '@dexfeed/fake-node'
import type { RecordedBlock } from '@dexfeed/test/expected/chain-record'
import type { VerifiedPool } from '@dexfeed/test/expected/pool-events'
import { referencePrices } from '@dexfeed/test/expected/reference-prices'
import { dateOf, usd } from '@dexfeed/test/expected/responses'
import type { TokenFacts } from '@dexfeed/test/expected/tokens'
import { tradeUsd } from '@dexfeed/test/expected/trade-usd'
import { tradesOf } from '@dexfeed/test/expected/trades/trades'

/** The rows that a database must hold for a chain, derived from its blocks by code that the product does not share. */
export interface Expected {
  swaps: string[]
  poolStates: string[]
  poolTicks: string[]
  days: { day: string; trader: string; usdE8: bigint | null }[]
}

export function expectedOf({ market, chainId, blocks }: ScriptedChain): Expected {
  const { network, deployment } = market
  const recorded = blocks.map(recordedBlock)
  const pools = poolsOf(market)
  const tokens = new Map(
    market.tokens.map(({ address, symbol, decimals }): [string, TokenFacts] => [
      address,
      { name: symbol, symbol, decimals },
    ]),
  )
  const prices = referencePrices({ network, deployment, tokens, pools, blocks: recorded })
  const swaps: string[] = []
  const days: Expected['days'] = []
  for (const block of recorded) {
    let [last, position] = [-1, 0]
    for (const trade of tradesOf(block, pools, deployment)) {
      const { transaction, sell, buy } = trade
      position = transaction.index === last ? position + 1 : 0
      last = transaction.index
      const usdE8 = tradeUsd(trade, { deployment, tokens, prices })
      swaps.push(
        [
          chainId,
          block.number,
          transaction.index,
          position,
          block.timestamp,
          transaction.hash.slice(2),
          transaction.from.slice(2),
          sell.token.slice(2),
          sell.native,
          sell.amount,
          buy.token.slice(2),
          buy.native,
          buy.amount,
          usdE8 === null ? '' : usd(usdE8),
        ].join(' '),
      )
      days.push({ day: dateOf(block.timestamp), trader: transaction.from, usdE8 })
    }
  }
  return { swaps, days, ...expectedState(chainId, blocks.at(-1)) }
}

/** Returns the pools that the market's factories verify. */
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
      // Data shorter than a word is not a known event: a contract may emit these topics with any data.
      logs: placed
        .filter(({ data }) => data.length >= 66)
        .map(({ address, topics, data, logIndex }) => ({ address, topics: [...topics], data, index: logIndex })),
    })),
  }
}

function expectedState(chainId: number, head: ScriptedBlock | undefined): Pick<Expected, 'poolStates' | 'poolTicks'> {
  const states = [...(head?.states ?? [])]
  return {
    poolStates: states.map(([pool, state]) => `${chainId} ${pool.slice(2)} ${stateText(state)}`),
    poolTicks: states.flatMap(([pool, state]) =>
      state.kind === 'pair'
        ? []
        : [...state.ticks].map(([tick, { gross, net }]) => `${chainId} ${pool.slice(2)} ${tick} ${gross} ${net}`),
    ),
  }
}

export function stateText(
  state: ScriptedBlock['states'] extends ReadonlyMap<string, infer S> ? S | EventState : never,
): string {
  return state.kind === 'pair'
    ? `${state.reserve0} ${state.reserve1}`
    : `${state.sqrtPriceX96} ${state.tick} ${state.liquidity}`
}
