import type { Address, BlockRange } from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'
import type { KeySearch as Row } from '../../generated/client.ts'
import { bytesOf } from '../../stored.ts'

export interface KeyProgress {
  searched: BlockRange | null
  /** The block at which the manager seems to have been deployed; null if unknown. Logs may still lie below it. */
  floor: number | null
  /** The chain's head when this round had searched all blocks and still lacked a key; null until then. */
  inVainAt: number | null
  rounds: number
}

const UNSEARCHED: KeyProgress = { searched: null, floor: null, inVainAt: null, rounds: 0 }

export async function readKeyProgress(db: Db, chainId: number, manager: Address): Promise<KeyProgress> {
  const row = await db.keySearch.findUnique({ where: { chainId_manager: { chainId, manager: bytesOf(manager) } } })
  return row === null ? UNSEARCHED : toProgress(row)
}

/** Returns false, and writes nothing, if the stored progress is no longer `was`. */
export async function moveKeyProgress(
  tx: Db,
  chainId: number,
  { manager, was, now }: { manager: Address; was: KeyProgress; now: KeyProgress },
): Promise<boolean> {
  const { searched, floor, inVainAt, rounds } = now
  const key = { chainId, manager: bytesOf(manager) }
  await tx.keySearch.createMany({ data: [key], skipDuplicates: true })
  const moved = await tx.keySearch.updateMany({
    where: { ...key, fromBlock: was.searched?.from ?? null, toBlock: was.searched?.to ?? null, rounds: was.rounds },
    data: { fromBlock: searched?.from ?? null, toBlock: searched?.to ?? null, floorBlock: floor, inVainAt, rounds },
  })
  return moved.count > 0
}

/** Call this after the blocks above `block` were replaced. */
export async function lowerKeySearches(tx: Db, chainId: number, block: number): Promise<void> {
  const nothing = { fromBlock: null, toBlock: null }
  await tx.keySearch.updateMany({ where: { chainId, fromBlock: { gt: block } }, data: nothing })
  await tx.keySearch.updateMany({ where: { chainId, toBlock: { gt: block } }, data: { toBlock: block } })
}

function toProgress({ fromBlock, toBlock, floorBlock, inVainAt, rounds }: Row): KeyProgress {
  return {
    searched: fromBlock === null || toBlock === null ? null : { from: Number(fromBlock), to: Number(toBlock) },
    floor: floorBlock === null ? null : Number(floorBlock),
    inVainAt: inVainAt === null ? null : Number(inVainAt),
    rounds,
  }
}
