import type { Deployment } from '../deployments/deployment.ts'
import type { Pool, PoolAddress } from '../pool.ts'
import { blockHops, toTrades, tradeRules } from '../trades/to-trades.ts'
import type { Trade } from '../trades/trade.ts'
import { decode, decodersOf } from '../venues/registry.ts'
import { blockOfReceipt, type ReceiptContext, type RpcReceipt } from './rpc-receipt.ts'

interface ReceiptOptions extends ReceiptContext {
  deployment: Deployment
  /**
   * Pools from `provePools`, or known to the caller. Swap events of other contracts are ignored, because any contract
   * can emit them.
   */
  pools: ReadonlyMap<PoolAddress, Pool>
}

/**
 * Returns the trades of a transaction from its JSON-RPC receipt, in base units. A receipt lacks coin transfers without
 * an event, so legs in the native coin follow from `value` and the wrapper's events. An end in `endsToCompare` counts
 * only if it is worth as much as the hops, and `settledFor` beside `accountEnds` only if one of these is worth half of
 * the trade (`comparedEnds`).
 *
 * @throws TypeError if a field is not hex text
 */
export function receiptTrades(receipt: RpcReceipt, { deployment, pools, value, timestamp }: ReceiptOptions): Trade[] {
  const block = blockOfReceipt(receipt, { value, timestamp })
  const { events } = decode(block, decodersOf(deployment.dexes.map(({ kind }) => kind)))
  const verified = events.filter(({ pool }) => pools.has(pool))
  const rules = tradeRules(deployment)
  const hops = blockHops(block, verified, pools, rules)
  const logs = new Map([...block.transactions.values()].map(({ hash }) => [hash, block.logs]))
  return toTrades(hops, rules, logs)
}
