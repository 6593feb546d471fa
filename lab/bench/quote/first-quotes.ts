import { setTimeout as delay } from 'node:timers/promises'
import { NETWORKS } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { withClient } from '../bench-database.ts'
import { type Load, loadServer } from '../load-server.ts'
import { addDust, HEAD, HUBS, NETWORK, tokenAddress } from './fill-market.ts'

/** Quotes that are the first of a state of the market. */
const FIRSTS = 100
const GAP_MS = 5

const { chainId: CHAIN_ID } = NETWORKS[NETWORK]

/** Blocks of dust come after all others. */
const FIRST_BLOCK = HEAD + 1_000
/** The first block after them. */
export const BLOCK_AFTER = FIRST_BLOCK + FIRSTS

/** Enough quotes that the API no longer caches any of them when it repeats. */
const QUOTES = 50_000

/** Returns paths of quotes between all hubs, in both directions. The API must compute each. */
function hubQuotes(count: number): string[] {
  const hubs = Array.from({ length: HUBS }, (_, at) => tokenAddress(at))
  const pairs = hubs.flatMap((sell) => hubs.filter((buy) => buy !== sell).map((buy) => [sell, buy] as const))
  return Array.from({ length: count }, (_, at) => {
    const [sell, buy] = pairs[at % pairs.length] as (typeof pairs)[number]
    return `/api/quote?network=${NETWORK}&sellToken=${sell}&buyToken=${buy}&n=${at}`
  })
}

/** Measures quotes between hubs: the longest of the first ones, one after the other, then a fixed time of quotes. */
export async function quoteHubs(
  url: string,
  ms: number,
  signal: AbortSignal,
): Promise<{ firstMs: number; hubs: Load }> {
  let firstMs = 0
  for (const path of hubQuotes(FIRSTS)) firstMs = Math.max(firstMs, (await request(`${url}${path}`, signal)).ms)
  return { firstMs, hubs: await loadServer(url, { paths: hubQuotes(QUOTES), connections: 1, ms }, signal) }
}

export interface AfterBlocks {
  /** The longest of the quotes that are the first after a block. */
  longestMs: number
  /** From the commit of a block until a client has a quote of that block. */
  freshP50Ms: number
  freshP99Ms: number
}

/** Measures the quotes after blocks, each of which adds a pool of dust. */
export async function quotesAfterBlocks(
  url: string,
  databaseUrl: string,
  dust: number,
  shutdown: Pick<Shutdown, 'signal'>,
): Promise<AfterBlocks> {
  let longestMs = 0
  const fresh: number[] = []
  await withClient(databaseUrl, shutdown, async (client) => {
    for (const [at, path] of hubQuotes(FIRSTS).entries()) {
      const head = FIRST_BLOCK + at
      await addBlock(client, head, 2 * dust + at)
      const committed = performance.now()
      for (let isIndexed = false; !isIndexed; ) {
        const { ms, block } = await request(`${url}${path}`, shutdown.signal)
        longestMs = Math.max(longestMs, ms)
        isIndexed = block === `${NETWORK}=${head}`
        if (!isIndexed) await delay(GAP_MS, undefined, { signal: shutdown.signal })
      }
      fresh.push(performance.now() - committed)
    }
  })
  fresh.sort((a, b) => a - b)
  const quantile = (share: number) => fresh[Math.floor(share * fresh.length)] ?? Number.NaN
  return { longestMs, freshP50Ms: quantile(0.5), freshP99Ms: quantile(0.99) }
}

export async function addBlock(client: Client, head: number, n: number): Promise<void> {
  await client.query('BEGIN')
  await client.query(
    `UPDATE network SET revision = revision + 1, head_number = $2, head_hash = sha256(('dust' || $3)::bytea),
       head_time = now() WHERE chain_id = $1`,
    [CHAIN_ID, head, String(head)],
  )
  await addDust(client, n, head)
  await client.query(`SELECT pg_notify('dexfeed', $1)`, [NETWORK])
  await client.query('COMMIT')
}

async function request(url: string, signal: AbortSignal): Promise<{ ms: number; block: string | null }> {
  const started = performance.now()
  const response = await fetch(url, { signal })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`a quote returned status ${response.status}`)
  return { ms: performance.now() - started, block: response.headers.get('X-Indexed-Block') }
}
