import type { BlockHeader, Hex } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { hexOf } from '../hex.ts'
import { BlocksNotLinked } from '../store-error.ts'
import type { Fenced } from './fence.ts'
import type { NetworkKey } from './network-key.ts'

/**
 * Makes sure that headers continue each other and what is stored: by the stored header below the first one or, where
 * final blocks came without headers, by the last committed head.
 *
 * @throws BlocksNotLinked
 */
export async function checkLinks(
  tx: ClientBase,
  network: NetworkKey,
  blocks: readonly BlockHeader[],
  fenced: Fenced,
): Promise<void> {
  const first = blocks[0]
  if (first === undefined) return
  const below = (await storedHash(tx, network.chainId, first.number - 1)) ?? headHash(fenced, first.number - 1)
  let previous = below === null ? null : { number: first.number - 1, hash: below }
  for (const block of blocks) {
    if (previous?.number === block.number - 1 && previous.hash !== block.parentHash) {
      throw new BlocksNotLinked(network.name, block.number, block.parentHash, previous.hash)
    }
    previous = block
  }
}

async function storedHash(tx: ClientBase, chainId: number, number: number): Promise<Hex | null> {
  const { rows } = await tx.query<{ hash: string }>(
    `SELECT encode(hash, 'hex') AS hash FROM block WHERE chain_id = $1 AND number = $2`,
    [chainId, number],
  )
  return rows[0] ? hexOf(rows[0].hash) : null
}

function headHash(fenced: Fenced, number: number): Hex | null {
  return fenced.headNumber === number ? fenced.headHash : null
}
