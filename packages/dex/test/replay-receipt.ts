import type { Address, Block, Hex, Log } from '../src/chain.ts'
import type { Dex, Pool } from '../src/pool.ts'
import { type DroppedSwap, toHops } from '../src/trades/hops.ts'
import { collapseHops, type NetSwap } from '../src/trades/routes.ts'
import type { Hop } from '../src/trades/trade.ts'
import { candidatesOf, provePool } from '../src/venues/prove-pool.ts'
import { DEX_KINDS, decode, decodersOf } from '../src/venues/registry.ts'
import { answerProof, type KnownResult } from './run-proof.ts'

const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

interface Transfer {
  token: Address
  from: Address
  to: Address
  value: bigint
}

export interface Replayed {
  logs: readonly Log[]
  hops: Hop[]
  dropped: DroppedSwap[]
  swaps: NetSwap[]
  /** The transaction's ERC-20 transfers, which show what really moved. */
  transfers: Transfer[]
}

/** Reads the logs of a transaction like the indexer. Contracts return only what is known. */
export function replayLogs(
  blockNumber: number,
  logs: readonly Log[],
  dexes: readonly Dex[],
  known: readonly KnownResult[],
  wrappedNative: Address,
): Replayed {
  const kinds = DEX_KINDS.filter((kind) => dexes.some((dex) => dex.kind === kind))
  const { events } = decode(blockOf(blockNumber, logs), decodersOf(kinds))
  const pools = new Map<Address, Pool>()
  for (const candidate of candidatesOf(events)) {
    const proven = answerProof(provePool(candidate, dexes), known)
    if (proven !== null) pools.set(candidate.pool, proven)
  }
  const { hops, dropped } = toHops(events, pools, wrappedNative)
  return { logs, hops, dropped, swaps: collapseHops(hops), transfers: logs.flatMap(transferOf) }
}

function blockOf(number: number, logs: readonly Log[]): Block {
  return { number, hash: '0x01', parentHash: '0x00', timestamp: 0, logs: [...logs], transactions: new Map() }
}

function transferOf({ address, topics, data }: Log): Transfer[] {
  const [topic, from, to] = topics
  if (topic !== TRANSFER || from === undefined || to === undefined || data === '0x') return []
  return [{ token: address, from: `0x${from.slice(26)}`, to: `0x${to.slice(26)}`, value: BigInt(data) }]
}
