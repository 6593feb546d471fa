import type { V1Body } from '@dexfeed/contract'
import { SECOND } from '@dexfeed/dex'
import { notNow } from '../../http/http-failure.ts'
import type { LiveMarket } from '../live-market.ts'

/** Returns the block of a market. @throws HttpFailure 503 if no block of the network is indexed yet */
export function blockOf({ network: { network, head } }: LiveMarket, now: number): V1Body<'quoteAmount'>['block'] {
  if (head === null) throw notNow(`nothing of ${network} is indexed yet`, 5)
  const { number, hash, timestamp } = head
  return {
    number: String(number),
    hash,
    time: new Date(timestamp * SECOND).toISOString(),
    age_s: Math.max(0, now - timestamp),
  }
}
