import { NETWORKS, type NetworkName } from '@dexfeed/dex'
import { WebSocket } from 'ws'
import type { HeadWatch, PoolWatch } from './head-lag.ts'

interface StreamEvent {
  event: string
  data: { network?: NetworkName; block_number?: string | null; address?: string }
}

/**
 * Records when the events of each commit arrive, and those of new pools, until `ended` aborts.
 *
 * @throws if the stream ends first
 */
export function watchStream(
  apiUrl: string,
  heads: HeadWatch,
  pools: ReadonlyMap<NetworkName, PoolWatch>,
  ended: AbortSignal,
): Promise<void> {
  const socket = new WebSocket(`${apiUrl.replace('http', 'ws')}/v1/stream?events=swap,pool`)
  socket.on('message', (message) => {
    const at = performance.timeOrigin + performance.now()
    for (const { event, data } of JSON.parse(String(message)) as StreamEvent[]) {
      if (event === 'pool' && data.network && data.address) pools.get(data.network)?.seen(data.address, at)
      if (event !== 'head' || !data.network || !data.block_number) continue
      heads.seen(NETWORKS[data.network].chainId, { number: Number(data.block_number), at })
    }
  })
  ended.addEventListener('abort', () => socket.terminate(), { once: true })
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => (ended.aborted ? resolve() : reject(error)))
    socket.once('close', (code) => (ended.aborted ? resolve() : reject(new Error(`the stream ended with ${code}`))))
  })
}
