import {
  type Address,
  type BlockPoint,
  type CoveredRange,
  type Hex,
  NETWORK_NAMES,
  type NetworkName,
} from '@dexfeed/dex'
import type { PoolClient } from 'pg'

/** How far a network is indexed. */
export interface IndexedNetwork {
  network: NetworkName
  wrappedNative: Address
  /** Further tokens with a trusted price: stablecoins and what else is configured. */
  anchors: readonly Address[]
  /** First block that is meant to be covered. */
  start: BlockPoint
  /** Grows with every change of pool state. */
  revision: number
  /** Grows with every rollback. */
  reorgs: number
  /** Last block that the follower committed; null before the first. */
  head: (BlockPoint & { hash: Hex }) | null
  /** The chain's own head at that time. */
  chainHead: BlockPoint | null
  finalNumber: number | null
  degraded: string | null
  /** Blocks of history that are being covered a second; null when nothing was measured within the last minute. */
  backfillBlocksPerS: number | null
  /** Ascending, apart from each other. */
  covered: readonly CoveredRange[]
}

interface Row {
  name: string
  wrapped_native: string
  anchors: string[]
  start_block: number
  start_time: number
  revision: number
  reorgs: number
  head_number: number | null
  head_hash: string | null
  head_time: number | null
  chain_head_number: number | null
  chain_head_time: number | null
  final_number: number | null
  degraded: string | null
  blocks_per_s: number | null
  covered: [from: number, to: number, fromTime: number, toTime: number][]
}

/** The networks that are being indexed, in the order that breaks ties (network_pkey, covered_range_pkey, backfill_rate_pkey). */
export async function readNetworks(client: PoolClient): Promise<IndexedNetwork[]> {
  const { rows } = await client.query<Row>(`
    SELECT n.name, encode(n.wrapped_native, 'hex') AS wrapped_native,
      ARRAY(SELECT encode(anchor, 'hex') FROM unnest(n.anchors) AS anchor) AS anchors,
      n.start_block::float8, extract(epoch FROM n.start_time)::float8 AS start_time,
      n.revision::float8, n.reorgs::float8,
      n.head_number::float8, encode(n.head_hash, 'hex') AS head_hash,
      extract(epoch FROM n.head_time)::float8 AS head_time,
      n.chain_head_number::float8, extract(epoch FROM n.chain_head_time)::float8 AS chain_head_time,
      n.final_number::float8, n.degraded,
      (SELECT r.blocks_per_s::float8 FROM backfill_rate r
        WHERE r.chain_id = n.chain_id AND r.measured_at > now() - interval '1 minute') AS blocks_per_s,
      coalesce((
        SELECT json_agg(json_build_array(c.from_block, c.to_block,
          extract(epoch FROM c.from_time)::float8, extract(epoch FROM c.to_time)::float8) ORDER BY c.from_block)
        FROM covered_range c WHERE c.chain_id = n.chain_id
      ), '[]') AS covered
    FROM network n WHERE n.active`)
  const byName = new Map(rows.map((row) => [row.name, row]))
  return NETWORK_NAMES.flatMap((network) => {
    const row = byName.get(network)
    return row === undefined ? [] : [toIndexedNetwork(network, row)]
  })
}

function toIndexedNetwork(network: NetworkName, row: Row): IndexedNetwork {
  return {
    network,
    wrappedNative: `0x${row.wrapped_native}`,
    anchors: row.anchors.map((anchor): Address => `0x${anchor}`),
    start: { number: row.start_block, timestamp: row.start_time },
    revision: row.revision,
    reorgs: row.reorgs,
    head:
      row.head_number === null || row.head_hash === null || row.head_time === null
        ? null
        : { number: row.head_number, hash: `0x${row.head_hash}`, timestamp: row.head_time },
    chainHead:
      row.chain_head_number === null || row.chain_head_time === null
        ? null
        : { number: row.chain_head_number, timestamp: row.chain_head_time },
    finalNumber: row.final_number,
    degraded: row.degraded,
    backfillBlocksPerS: row.blocks_per_s,
    covered: row.covered.map(([from, to, fromTime, toTime]) => ({ from, to, fromTime, toTime })),
  }
}
