import type { V1Body } from '@dexfeed/contract'
import { SECOND } from '@dexfeed/dex'
import type { LiveMarket } from '../live-market.ts'

/** Returns the block of a market. A market that has been read has a head. */
export function blockOf({ network: { head } }: LiveMarket, now: number): V1Body<'quoteAmount'>['block'] {
  const { number = 0, hash = `0x${'0'.repeat(64)}`, timestamp = 0 } = head ?? {}
  return {
    number: String(number),
    hash,
    time: new Date(timestamp * SECOND).toISOString(),
    age_s: Math.max(0, now - timestamp),
  }
}
