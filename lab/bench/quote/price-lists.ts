import type { Address } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import { withClient } from '../bench-database.ts'
import { NETWORK, tokenAddress } from './fill-market.ts'
import { addBlock } from './first-quotes.ts'

/** The most that one request may name. */
const TOKENS = 1_000
const REQUESTS = 100
/** The first requests compile code. */
const WARM_UP = 10

/**
 * Measures requests for the prices of 1,000 tokens, one after another, each after a block that adds a pool. Returns
 * milliseconds from the request to the whole response.
 *
 * @param block the first block that the chain does not have
 */
export async function priceLists(
  url: string,
  databaseUrl: string,
  { block, pools }: { block: number; pools: number },
  shutdown: Pick<Shutdown, 'signal'>,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const times: number[] = []
  await withClient(databaseUrl, shutdown, async (client) => {
    for (let at = 0; at < WARM_UP + REQUESTS; at++) {
      await addBlock(client, block + at, 1_000_000 + at)
      const body = JSON.stringify({ network: NETWORK, tokens: tokensOf(at, pools) })
      const started = performance.now()
      const response = await fetch(`${url}/v1/prices`, {
        ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal: shutdown.signal },
      })
      const text = await response.text()
      if (at >= WARM_UP) times.push(performance.now() - started)
      if (response.status !== 200) throw new Error(`prices returned status ${response.status}: ${text.slice(0, 200)}`)
    }
  })
  times.sort((a, b) => a - b)
  const quantile = (share: number) => times[Math.floor(share * (times.length - 1))] ?? Number.NaN
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}

/** Other tokens each time. */
function tokensOf(round: number, pools: number): Address[] {
  const tokens = Math.floor((pools * 2) / 3)
  return Array.from({ length: TOKENS }, (_, at) => tokenAddress((round * 7_919 + at) % tokens))
}
