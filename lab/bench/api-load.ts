import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import { askMany } from './ask-many.ts'
import { startApi, stopProgram } from './indexer-process.ts'
import { freePort } from './mainnet/measure/read-metrics.ts'
import { untilListening } from './until-listening.ts'

const CONNECTIONS = 50
/** From memory and from the rendered day. */
const CONTRACT = ['/api/trade_volume_usd_7d', '/api/swaps_24h?limit=100']
/** And from the database. */
const PATHS = { contract: CONTRACT, all: [...CONTRACT, '/v1/swaps?network=eth&limit=100'] }

/** The real API, asked for as much as it can answer. */
export interface ApiLoad {
  /** Ends both; what it answered a second. */
  stop(): Promise<number>
}

/** Starts the API on a database, and asks it without a pause over many connections. */
export async function startApiLoad(
  databaseUrl: string,
  routes: keyof typeof PATHS,
  shutdown: Shutdown,
): Promise<ApiLoad> {
  const port = await freePort()
  const child = startApi(databaseUrl, shutdown, { env: { PORT: String(port), LOG_LEVEL: 'error' } })
  const url = `http://127.0.0.1:${port}`
  await untilListening(`${url}/livez`, child, shutdown.signal)
  let [isOver, answers, seconds] = [false, 0, 0]
  const asking = (async () => {
    while (!isOver) {
      const load = await askMany(url, { paths: PATHS[routes], connections: CONNECTIONS, ms: SECOND }, shutdown.signal)
      answers += load.answers - load.failures
      seconds += load.seconds
    }
  })()
  // Where it fails, stop() tells.
  asking.catch(() => undefined)
  return {
    async stop() {
      isOver = true
      await asking
      await stopProgram(child)
      return answers / seconds
    },
  }
}
