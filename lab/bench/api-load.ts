import { SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import { loadServer } from './load-server.ts'
import { startApi, stopProgram } from './programs.ts'

const CONNECTIONS = 50
/** From memory and from the rendered day. */
const CONTRACT = ['/api/trade_volume_usd_7d', '/api/swaps_24h?limit=100']
/** And from the database. */
const PATHS = { contract: CONTRACT, all: [...CONTRACT, '/v1/swaps?network=eth&limit=100'] }

export interface ApiLoad {
  /** Ends both. Returns the responses per second. */
  stop(): Promise<number>
}

/** Starts the API on a database, and sends it requests without a pause over many connections. */
export async function startApiLoad(
  databaseUrl: string,
  routes: keyof typeof PATHS,
  shutdown: Shutdown,
): Promise<ApiLoad> {
  const { child, url } = await startApi(databaseUrl, shutdown)
  let [isOver, responses, seconds] = [false, 0, 0]
  const loading = (async () => {
    while (!isOver) {
      const load = await loadServer(
        url,
        { paths: PATHS[routes], connections: CONNECTIONS, ms: SECOND },
        shutdown.signal,
      )
      responses += load.responses - load.failures
      seconds += load.seconds
    }
  })()
  // stop() throws the error.
  loading.catch(() => undefined)
  return {
    async stop() {
      isOver = true
      await loading
      await stopProgram(child)
      return responses / seconds
    },
  }
}
