import type { DevnetChain } from '@dexfeed/devnet'
import { type RecordedBlock, recordChain } from './chain-record.ts'
import type { VerifiedPool } from './pool-events.ts'
import { referencePrices } from './reference-prices.ts'
import { readTokens, type TokenFacts } from './tokens.ts'
import { tradeUsd, type UsdOptions } from './trade-usd.ts'
import { type ExpectedTrade, type TradeFacts, tradesOf } from './trades/trades.ts'
import { findVerifiedPools } from './verified-pools.ts'

export interface ChainFacts {
  network: DevnetChain['network']
  blocks: readonly RecordedBlock[]
  pools: ReadonlyMap<string, VerifiedPool>
  tokens: ReadonlyMap<string, TokenFacts>
  trades: readonly PricedTrade[]
}

export interface PricedTrade extends ExpectedTrade {
  network: DevnetChain['network']
  usdE8: bigint | null
}

/** Derives from a chain's receipts what the product should show, without sharing code with the product. */
export async function chainFacts(chain: DevnetChain): Promise<ChainFacts> {
  const { network, deployment } = chain
  const blocks = await recordChain(chain)
  const pools = await findVerifiedPools(chain, blocks)
  const tokens = await readTokens(chain, pools)
  return { network, blocks, pools, tokens, trades: pricedTrades({ network, deployment, blocks, pools, tokens }) }
}

export function pricedTrades({
  network,
  deployment,
  blocks,
  pools,
  tokens,
}: Omit<ChainFacts, 'trades'> & { deployment: TradeFacts & UsdOptions['deployment'] }): PricedTrade[] {
  const prices = referencePrices({ network, deployment, tokens, pools, blocks })
  return blocks.flatMap((block) =>
    tradesOf(block, pools, deployment).map((trade): PricedTrade => {
      return { ...trade, network, usdE8: tradeUsd(trade, { deployment, tokens, prices }) }
    }),
  )
}
