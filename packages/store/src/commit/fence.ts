import type { Hex } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { hexOf } from '../hex.ts'
import { LeaseLost } from '../store-error.ts'
import type { NetworkKey } from './network-key.ts'

/** The network's row as it stood when the writer locked it. */
export interface Fenced {
  revision: number
  headNumber: number | null
  headHash: Hex | null
  finalNumber: number | null
}

interface Row {
  writer_epoch: string
  revision: string
  head_number: string | null
  head_hash: string | null
  final_number: string | null
}

/**
 * Locks the network's row for this transaction and makes sure that `epoch` is still that of its writer.
 *
 * @throws LeaseLost
 */
export async function fence(tx: ClientBase, network: NetworkKey, epoch: number): Promise<Fenced> {
  const { rows } = await tx.query<Row>(
    `SELECT writer_epoch, revision, head_number, encode(head_hash, 'hex') AS head_hash, final_number
     FROM network WHERE chain_id = $1 FOR UPDATE`,
    [network.chainId],
  )
  const row = rows[0]
  if (!row || Number(row.writer_epoch) !== epoch) throw new LeaseLost(network.name, epoch)
  return {
    revision: Number(row.revision),
    headNumber: row.head_number === null ? null : Number(row.head_number),
    headHash: row.head_hash === null ? null : hexOf(row.head_hash),
    finalNumber: row.final_number === null ? null : Number(row.final_number),
  }
}
