import type { NetworkName } from '@dexfeed/dex'
import { decimalText, memberOf, poolName, readJson } from './read-json.ts'
import type { OtherSource } from './source.ts'

const OTHER_NAMES: Partial<Record<NetworkName, string>> = { eth: 'ethereum' }
export const DEXSCREENER_URL = 'https://api.dexscreener.com'

/** Reads pools from DEX Screener, which has only the last 24 hours. */
export function dexScreener(base: string): OtherSource {
  return {
    isOfLastDay: true,
    subjects: () => null,
    async figures({ pool, token }, { network, signal }) {
      if (pool === null) return undefined
      const body = await readJson(
        `${base}/latest/dex/pairs/${OTHER_NAMES[network] ?? network}/${poolName(pool)}`,
        signal,
      )
      const pairs = memberOf(body, 'pairs')
      if (pairs === null || body === undefined) return undefined
      if (!Array.isArray(pairs)) throw new Error('the response of dexscreener has no pairs')
      const pair = pairs.find((each) => isSame(memberOf(each, 'pairAddress'), poolName(pool)))
      if (pair === undefined) return undefined
      // The price is that of the pair's base token.
      const isOfToken = isSame(memberOf(pair, 'baseToken', 'address'), token ?? '')
      return {
        priceUsd: isOfToken ? decimalText(memberOf(pair, 'priceUsd')) : null,
        volumeUsd: decimalText(memberOf(pair, 'volume', 'h24')),
      }
    },
  }
}

function isSame(each: unknown, other: string): boolean {
  return typeof each === 'string' && each.toLowerCase() === other.toLowerCase()
}
