import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { BenchDatabase } from '../bench-database.ts'
import { type BenchResult, rounded } from '../bench-result.ts'
import { compare, comparedText, startBareServer } from '../compare.ts'
import { fillDay, fillRolledUp } from '../fill-trades.ts'
import { loadServer } from '../load.ts'
import { stopProgram } from '../programs.ts'
import { type MeasuredApi, startMeasuredApi } from '../quote/measured-api.ts'

const CONNECTIONS = 10
/** High enough to refuse nothing; the rate limiter still counts requests. */
const RATE = 1_000_000
const SMALL_LIST_ROWS = 2_000
const DAY = '/api/swaps_24h'
const PAGE = `${DAY}?limit=100`

const REPEATED = {
  v1_swaps: '/v1/swaps?limit=50',
  v1_candles: `/v1/candles?network=bsc&token=${tokenAddress(7)}&interval=5m`,
  v1_tokens: '/v1/tokens?search=tok',
  page: PAGE,
}

const NEW = {
  v1_swaps_new: (n: number) => `/v1/swaps?limit=50&min_usd=${smallUsd(n)}`,
  v1_swaps_of_one_new: (n: number) => `/v1/swaps?network=bsc&limit=50&min_usd=${smallUsd(n)}`,
  v1_candles_new: (n: number) =>
    `/v1/candles?network=bsc&token=${tokenAddress(n % 100)}&interval=5m&limit=${1 + (Math.floor(n / 100) % 999)}`,
  v1_tokens_new: (n: number) => `/v1/tokens?search=tok${n % 20}&limit=${1 + (Math.floor(n / 20) % 1_000)}`,
}

const floorOfSwaps = (n: number) => `/floor/swaps?chain_id=56&limit=50&min_usd=${smallUsd(n)}`
const SEARCH_CONNECTIONS = [1, 10, 50]

export async function benchV1(database: BenchDatabase, rows: number, shutdown: Shutdown): Promise<BenchResult> {
  const { signal } = shutdown
  const now = Math.floor(Date.now() / SECOND)
  const bare = await startBareServer(shutdown)
  const notes: [string, string][] = []
  const figures: Record<string, number> = {}
  const start = async (name: string, count: number, readyPath: string) => {
    const databaseUrl = await database.create(name, { migrated: true })
    await fillDay(databaseUrl, count, now, shutdown)
    await fillRolledUp(databaseUrl, now, shutdown)
    await bare.call('setDatabase', databaseUrl)
    const api = await startMeasuredApi(databaseUrl, { rateLimitPerS: RATE, readyPath }, shutdown)
    await loadServer(api.url, { path: readyPath, connections: 4, ms: SECOND }, signal)
    await delay(SECOND, undefined, { signal })
    return api
  }
  const compareAll = async (api: MeasuredApi, requests: Readonly<Record<string, string>>) => {
    for (const [name, path] of Object.entries(requests)) {
      const compared = await compare(api, bare, { paths: [path], connections: CONNECTIONS }, signal)
      notes.push([name, comparedText(compared)])
      figures[`${name}_ratio`] = rounded(compared.ratio, 2)
    }
  }
  const api = await start('v1', rows, PAGE)
  await compareAll(api, REPEATED)
  for (const [name, pathOf] of Object.entries(NEW)) {
    let n = 0
    const path = () => pathOf(n++)
    const alone = await loadServer(api.url, { path, connections: 1, ms: 2 * SECOND }, signal)
    const many = await loadServer(api.url, { path, connections: CONNECTIONS, ms: 2 * SECOND }, signal)
    if (alone.failures + many.failures > 0) throw new Error(`${many.failures} responses to ${pathOf(0)} were failures`)
    figures[`${name}_per_s`] = Math.round(many.responses / many.seconds)
    figures[`${name}_p50_ms`] = rounded(alone.p50Ms, 2)
  }
  for (const name of ['v1_swaps_new', 'v1_swaps_of_one_new'] as const) {
    for (const connections of SEARCH_CONNECTIONS) {
      let n = 0
      const load = (url: string, pathOf: (n: number) => string) =>
        loadServer(url, { path: () => pathOf(n++), connections, ms: 2 * SECOND }, signal)
      const floor = await load(bare.url, floorOfSwaps)
      const found = await load(api.url, NEW[name])
      if (floor.failures + found.failures > 0) throw new Error(`${name} or its floor failed`)
      const ratio = found.responses / found.seconds / (floor.responses / floor.seconds)
      figures[`${name}_ratio_${connections}`] = rounded(ratio, 2)
      if (connections === 1) figures[`${name}_p50_ratio`] = rounded(found.p50Ms / floor.p50Ms, 2)
    }
  }
  await stopProgram(api.child)
  const small = await start('small', SMALL_LIST_ROWS, DAY)
  await compareAll(small, { small_list: DAY, small_page: PAGE })
  await stopProgram(small.child)
  return { figures, notes }
}

function smallUsd(n: number): string {
  return `0.${String(n).padStart(8, '0')}`
}

function tokenAddress(token: number): string {
  const index = Buffer.alloc(8)
  index.writeBigInt64BE(BigInt(token))
  return `0x${createHash('sha256').update(index).digest('hex').slice(0, 40)}`
}
