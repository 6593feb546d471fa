import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { BenchDatabase } from '../bench-database.ts'
import { type BenchResult, rounded } from '../bench-result.ts'
import { compare, comparedText, startBareServer } from '../compare.ts'
import { loadServer } from '../load.ts'
import { stopProgram } from '../programs.ts'
import { fillMarket, NETWORK, tokenAddress } from '../quote/fill-market.ts'
import { startMeasuredApi } from '../quote/measured-api.ts'

const POOLS = 2_000
const CONNECTIONS = [10, 100, 500]
const VOLUME = '/api/trade_volume_usd_7d'
/** `fillMarket` gives the tokens before this one no pool of their own. */
const FIRST_TOKEN = 20
const TOKENS = 200
/** Makes more distinct quotes than the API caches. */
const ROUNDS = 300

export async function benchOperations(database: BenchDatabase, shutdown: Shutdown): Promise<BenchResult> {
  const databaseUrl = await database.create('operations', { migrated: true })
  await fillMarket(databaseUrl, POOLS, shutdown)
  const api = await startMeasuredApi(databaseUrl, { rateLimitPerS: 1_000_000 }, shutdown)
  const bare = await startBareServer(shutdown)
  const quotes = await quotedPaths(api.url)
  for (const path of [VOLUME, quotes[0] ?? VOLUME]) {
    await loadServer(api.url, { path, connections: 20, ms: SECOND }, shutdown.signal)
  }
  await delay(SECOND, undefined, { signal: shutdown.signal })
  const newQuotes = Array.from({ length: ROUNDS }, (_, round) => quotes.map((path) => `${path}&n=${round}`)).flat()
  const operations = { volume: [VOLUME], quote_repeated: quotes.slice(0, 1), quote: newQuotes }
  const figures: Record<string, number> = {}
  const notes: [string, string][] = []
  for (const [name, paths] of Object.entries(operations)) {
    for (const connections of CONNECTIONS) {
      const compared = await compare(api, bare, { paths, connections }, shutdown.signal)
      notes.push([`${name}, ${connections} connections`, comparedText(compared)])
      const worst = Math.min(figures[`${name}_ratio`] ?? Number.POSITIVE_INFINITY, compared.ratio)
      figures[`${name}_ratio`] = rounded(worst, 2)
    }
  }
  await stopProgram(api.child)
  return { figures, notes }
}

async function quotedPaths(url: string): Promise<string[]> {
  const paths: string[] = []
  for (let token = FIRST_TOKEN; token < FIRST_TOKEN + TOKENS; token++) {
    const path = `/api/quote?network=${NETWORK}&sellToken=${tokenAddress(0)}&buyToken=${tokenAddress(token)}`
    const response = await fetch(url + path)
    await response.arrayBuffer()
    if (response.status === 200) paths.push(path)
  }
  return paths
}
