import { checksumAddress, InvalidRequest, type V1Body } from '@dexfeed/contract'
import { type Address, isoTime } from '@dexfeed/dex'
import { type Extent, type IndexedNetwork, PRICE_LIFE_S, type Reader } from '@dexfeed/store'
import type { CachedRead } from '../../http/cache.ts'
import { HttpFailure } from '../../http/http-failure.ts'
import { tradedAs } from './price-board.ts'

const MAX_BLOCK_AGE_S = 60

export interface PastPricesOptions {
  reader: { pastPrices: Reader['pastPrices'] }
  extent: CachedRead<Extent>
  /** Returns seconds since 1970. */
  now: () => number
}

/**
 * Returns prices by trades, and whether the time that determines them is fully indexed.
 *
 * @throws InvalidRequest for a time in the future, HttpFailure 404 for one before the first kept trade
 */
export async function pastPrices(
  { reader, extent, now }: PastPricesOptions,
  { network, covered, wrappedNative }: Pick<IndexedNetwork, 'network' | 'covered' | 'wrappedNative'>,
  tokens: readonly Address[],
  at: number,
): Promise<{ body: V1Body<'findPrices'>; isComplete: boolean }> {
  if (at > now()) throw new InvalidRequest('at is still to come')
  const { keptSince } = await extent()
  const since = Math.max(covered[0]?.fromTime ?? now(), keptSince ?? Number.NEGATIVE_INFINITY)
  if (at < since) throw new HttpFailure(404, `the trades of ${network} begin at ${isoTime(since)}`)
  const traded = tokens.map((token) => tradedAs(network, token, wrappedNative))
  const found = await reader.pastPrices(network, [...new Set(traded)], at)
  const prices = traded.map((token, index) => {
    const { priceUsd = null, time = null, isWeighted = null } = found.get(token) ?? {}
    return {
      token: token === tokens[index] ? checksumAddress(token) : '',
      price_usd: priceUsd,
      source: priceUsd === null ? null : ('trades' as const),
      route: [],
      depth_usd: null,
      age_s: time === null ? null : at - time,
      flags: isWeighted === false ? ['unweighted' as const] : [],
    }
  })
  const from = Math.max(since, at - PRICE_LIFE_S)
  const isComplete = covered.some(({ fromTime, toTime }) => fromTime <= from && toTime >= at - MAX_BLOCK_AGE_S)
  return { body: { network, at: isoTime(at), block: null, prices }, isComplete }
}
