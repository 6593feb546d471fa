import { type Client, DexfeedError } from '@dexfeed/client'
import { DAY_S, SECOND } from '@dexfeed/dex'
import type { OwnFigures } from './explain-difference.ts'
import type { Question, Subject } from './sources/source.ts'

export interface OwnSubject extends Subject {
  name: string
  own: OwnFigures | undefined
}

interface Facts {
  /** Returns whether the whole span (seconds since 1970) is indexed and kept. */
  covers(from: number, to: number): boolean
  /** Null if the day is not judged, and for all pools together. */
  washOf(pool: string | null): string | null
}

export async function topPools(client: Client, question: Question, count: number, isOfLastDay: boolean) {
  const { network, signal } = question
  const { data } = await client.call('listPools', { network, order_by: 'volume', limit: count }, { signal })
  const facts = await readFacts(client, question)
  const now = Math.floor(Date.now() / SECOND)
  const found: OwnSubject[] = []
  for (const pool of data) {
    const subject = { pool: pool.address, token: pool.base_token }
    const name = `${pool.tokens.map(({ symbol }) => symbol ?? '?').join('/')} ${pool.protocol}`
    const ofLastDay = {
      priceUsd: pool.price_usd,
      volumeUsd: pool.volume_24h_usd,
      washUsd: null,
      swaps: pool.swaps_24h,
      unpricedSwaps: pool.unpriced_swaps_24h,
      isCovered: facts.covers(now - DAY_S, now),
    }
    found.push({ ...subject, name, own: isOfLastDay ? ofLastDay : await ofDay(client, subject, question, facts) })
  }
  return found
}

export async function namedSubjects(client: Client, subjects: readonly Subject[], question: Question) {
  const facts = await readFacts(client, question)
  const found: OwnSubject[] = []
  for (const subject of subjects) {
    const own = await ofDay(client, subject, question, facts)
    found.push({ ...subject, name: '', own })
  }
  return found
}

const WITHOUT_SWAPS = { close: null, volume_usd: '0', swaps: 0, unpriced_swaps: 0 }

async function ofDay(
  client: Client,
  { pool, token }: Subject,
  { network, day, signal }: Question,
  facts: Facts,
): Promise<OwnFigures | undefined> {
  const begin = Date.parse(`${day}T00:00:00Z`) / SECOND
  const from = String(begin)
  const to = String(begin + DAY_S)
  try {
    const priced = token ?? (await client.call('getPool', { network, address: pool ?? '' }, { signal })).base_token
    const within = pool === null ? {} : { pool }
    const asked = { network, token: priced, ...within, interval: '1d', from, to, limit: 1 } as const
    const [candle = WITHOUT_SWAPS] = (await client.call('listCandles', asked, { signal })).data
    return {
      priceUsd: candle.close,
      volumeUsd: candle.volume_usd,
      swaps: candle.swaps,
      unpricedSwaps: candle.unpriced_swaps,
      isCovered: facts.covers(begin, begin + DAY_S),
      washUsd: facts.washOf(pool),
    }
  } catch (error) {
    if (error instanceof DexfeedError && error.status === 404) return undefined
    throw error
  }
}

async function readFacts(client: Client, { network, day, signal }: Question): Promise<Facts> {
  const { data } = await client.call('listNetworks', {}, { signal })
  const known = data.find((each) => each.network === network)
  if (known === undefined) throw new Error(`${network} is not indexed by this API`)
  const flags = await client.call('listWashFlags', {}, { signal })
  const isJudged = flags.days.some((washDay) => washDay.network === network && washDay.date === day)
  const timeOf = (text: string | null, unknown: number) => (text === null ? unknown : Date.parse(text) / SECOND)
  const since = Math.max(
    timeOf(known.coverage.since, Number.POSITIVE_INFINITY),
    timeOf(known.kept_since, Number.NEGATIVE_INFINITY),
  )
  const until = timeOf(known.indexed_block_time, Number.NEGATIVE_INFINITY)
  return {
    covers: (from, to) => since <= from && (until >= to || to >= Date.now() / SECOND - 60),
    washOf(pool) {
      if (!isJudged || pool === null) return null
      const flagged = flags.pools.find(
        (washPool) => washPool.network === network && washPool.date === day && isSame(washPool.pool, pool),
      )
      return flagged?.trade_volume_usd ?? '0'
    },
  }
}

function isSame(text: string, other: string): boolean {
  return text.toLowerCase() === other.toLowerCase()
}
