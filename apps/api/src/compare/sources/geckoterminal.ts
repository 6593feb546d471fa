import { setTimeout as delay } from 'node:timers/promises'
import { DAY_S, type NetworkName, SECOND } from '@dexfeed/dex'
import { decimalText, memberOf, poolName, readJson } from './read-json.ts'
import type { OtherSource } from './source.ts'

const OTHER_NAMES: Partial<Record<NetworkName, string>> = { polygon: 'polygon_pos' }
export const GECKOTERMINAL_URL = 'https://api.geckoterminal.com'

/** Without a key, 30 requests a minute are allowed. */
const PAUSE_MS = 2.1 * SECOND

/** Reads days of pools from GeckoTerminal, as rows `[time, open, high, low, close, volume in USD]`. */
export function geckoTerminal(base: string): OtherSource {
  let isFirst = true
  return {
    isOfLastDay: false,
    subjects: () => null,
    async figures({ pool, token }, { network, day, signal }) {
      if (pool === null || token === null) return undefined
      if (!isFirst) await delay(PAUSE_MS, undefined, { signal })
      isFirst = false
      const begin = Date.parse(`${day}T00:00:00Z`) / SECOND
      const path = `/api/v2/networks/${OTHER_NAMES[network] ?? network}/pools/${poolName(pool)}/ohlcv/day`
      const query = new URLSearchParams({
        aggregate: '1',
        limit: '2',
        currency: 'usd',
        token,
        before_timestamp: String(begin + DAY_S),
      })
      const body = await readJson(`${base}${path}?${query}`, signal)
      if (body === undefined) return undefined
      const list = memberOf(body, 'data', 'attributes', 'ohlcv_list')
      if (!Array.isArray(list)) throw new Error('the response of geckoterminal has no ohlcv_list')
      const row = list.find((each) => memberOf(each, 0) === begin)
      return { priceUsd: decimalText(memberOf(row, 4)), volumeUsd: decimalText(memberOf(row, 5)) }
    },
  }
}
