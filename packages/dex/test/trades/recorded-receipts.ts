import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Address, Block, Hex } from '../../src/chain.ts'
import { builtInDeployments } from '../../src/deployments/dex-config.ts'
import type { NetworkName } from '../../src/deployments/networks.ts'
import type { Pool } from '../../src/pool.ts'
import { blockHops, toTrades, tradeRules } from '../../src/trades/to-trades.ts'
import type { Trade } from '../../src/trades/trade.ts'
import { DEX_KINDS, decode, decodersOf } from '../../src/venues/registry.ts'

export type PlainLog = readonly [address: Address, topics: readonly Hex[], data: Hex]

export interface RecordedReceipt {
  /** Defaults to eth. */
  network?: NetworkName
  hash: Hex
  from: Address
  value: string
  logs: readonly PlainLog[]
}

/** Returns the receipts in a file of the fixtures, and a function that makes their trades. */
export function readReceipts<R extends RecordedReceipt>(name: string) {
  const file = new URL(`../fixtures/${name}.json.gz`, import.meta.url)
  const { pools, transactions }: { pools: Pool[]; transactions: R[] } = JSON.parse(
    gunzipSync(readFileSync(file)).toString(),
  )
  const verified = new Map(pools.map((pool) => [pool.address, pool]))
  const decoders = decodersOf(DEX_KINDS)

  /** @param logs replace the recorded ones */
  function tradesOf({ network = 'eth', hash, from, value, ...own }: R, logs = own.logs, logsEther = false): Trade[] {
    const placed = logs.map(([address, topics, data], logIndex) => {
      return { address, topics, data, transactionIndex: 0, logIndex }
    })
    const block: Block = {
      number: 1,
      hash: '0x01',
      parentHash: '0x00',
      timestamp: 1,
      logs: placed,
      ...(logsEther ? { logsEther: true as const } : {}),
      transactions: new Map([[0, { hash, from, value: BigInt(value) }]]),
    }
    const rules = tradeRules(builtInDeployments[network])
    const hops = blockHops(block, decode(block, decoders).events, verified, rules)
    return toTrades(hops, rules, new Map([[hash, placed]]))
  }

  return { transactions, tradesOf }
}
