import type { ClientBase } from 'pg'
import { digitsOf } from '../hex.ts'
import type { LiveCommit } from './range-commit.ts'

/** Writes where the follower stands, in the network's row that the transaction has locked. */
export async function moveHead(tx: ClientBase, chainId: number, live: LiveCommit, revision: number): Promise<void> {
  const { head, chainHead, finalNumber, rollbackTo } = live
  await tx.query(
    `UPDATE network SET revision = $2, reorgs = reorgs + $3,
       head_number = $4, head_hash = decode($5, 'hex'), head_time = to_timestamp($6),
       chain_head_number = $7, chain_head_time = to_timestamp($8), final_number = greatest(final_number, $9)
     WHERE chain_id = $1`,
    [
      chainId,
      revision,
      rollbackTo === null ? 0 : 1,
      head.number,
      digitsOf(head.hash),
      head.timestamp,
      chainHead.number,
      chainHead.timestamp,
      finalNumber,
    ],
  )
}
