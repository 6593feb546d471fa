import type { BlockPoint, Hex, NetworkName } from '@dexfeed/dex'
import type { Network } from '../generated/client.ts'
import { bytesToHex } from '../hex.ts'

/** What the database knows of a network. Times are seconds since 1970. */
export interface NetworkRow {
  chainId: number
  name: NetworkName
  active: boolean
  genesisHash: Hex
  wrappedNative: Hex
  /** First block that is meant to be covered. */
  startBlock: number
  startTime: number
  writerEpoch: number
  revision: number
  reorgs: number
  /** The last block that the follower committed. */
  head: (BlockPoint & { hash: Hex }) | null
  /** The chain's own head at that time. */
  chainHead: BlockPoint | null
  finalNumber: number | null
  /** Why the network stands still; null while it is well. */
  degraded: string | null
}

export function toNetworkRow(row: Network, name: NetworkName): NetworkRow {
  const head = pointOf(row.headNumber, row.headTime)
  return {
    chainId: row.chainId,
    name,
    active: row.active,
    genesisHash: bytesToHex(row.genesisHash),
    wrappedNative: bytesToHex(row.wrappedNative),
    startBlock: Number(row.startBlock),
    startTime: secondsOf(row.startTime),
    writerEpoch: Number(row.writerEpoch),
    revision: Number(row.revision),
    reorgs: Number(row.reorgs),
    head: head && row.headHash && { ...head, hash: bytesToHex(row.headHash) },
    chainHead: pointOf(row.chainHeadNumber, row.chainHeadTime),
    finalNumber: row.finalNumber === null ? null : Number(row.finalNumber),
    degraded: row.degraded,
  }
}

/** Whole seconds since 1970. */
export function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

function pointOf(number: bigint | null, time: Date | null): BlockPoint | null {
  return number === null || time === null ? null : { number: Number(number), timestamp: secondsOf(time) }
}
