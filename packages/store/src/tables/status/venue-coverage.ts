import type { Address, Hex } from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'
import { bytesOf, bytesToHex } from '../../stored.ts'

/** Counts receipts that look like a swap, and those of them that no supported venue explains. */
export interface VenueCoverage {
  receipts: number
  unread: number
  /** Emitters of the unread receipts, most frequent first. */
  venues: readonly { emitter: Address; topic: Hex; receipts: number }[]
}

export async function writeVenueCoverage(
  tx: Db,
  chainId: number,
  { receipts, unread, venues }: VenueCoverage,
): Promise<void> {
  const counts = { receipts, unread }
  await tx.venueCoverage.upsert({ where: { chainId }, create: { chainId, ...counts }, update: counts })
  await tx.unreadVenue.deleteMany({ where: { chainId } })
  await tx.unreadVenue.createMany({
    data: venues.map((venue) => ({
      chainId,
      emitter: bytesOf(venue.emitter),
      topic: bytesOf(venue.topic),
      receipts: venue.receipts,
    })),
  })
}

export async function readVenueCoverage(db: Db): Promise<Map<number, VenueCoverage>> {
  const counts = await db.venueCoverage.findMany()
  const venues = await db.unreadVenue.findMany({
    orderBy: [{ receipts: 'desc' }, { emitter: 'asc' }, { topic: 'asc' }],
  })
  return new Map(
    counts.map(({ chainId, receipts, unread }) => [
      chainId,
      {
        receipts: Number(receipts),
        unread: Number(unread),
        venues: venues
          .filter((venue) => venue.chainId === chainId)
          .map((venue) => ({
            emitter: bytesToHex(venue.emitter),
            topic: bytesToHex(venue.topic),
            receipts: Number(venue.receipts),
          })),
      },
    ]),
  )
}
