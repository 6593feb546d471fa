import { NETWORKS, type NetworkName } from '@dexfeed/dex'
import { WebSocket } from 'ws'
import type { HeadWatch } from './head-lag.ts'

interface StreamEvent {
  event: string
  data: { network?: NetworkName; block_number?: string | null }
}

/**
 * Records when the events of each commit arrive, until `ended` aborts.
 *
 * @throws if the stream ends first
 */
export function watchStream(apiUrl: string, watch: HeadWatch, ended: AbortSignal): Promise<void> {
  const socket = new WebSocket(`${apiUrl.replace('http', 'ws')}/v1/stream?events=swap`)
  socket.on('message', (message) => {
    const at = performance.timeOrigin + performance.now()
    for (const { event, data } of JSON.parse(String(message)) as StreamEvent[]) {
      if (event !== 'head' || !data.network || !data.block_number) continue
      watch.seen(NETWORKS[data.network].chainId, { number: Number(data.block_number), at })
    }
  })
  ended.addEventListener('abort', () => socket.terminate(), { once: true })
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => (ended.aborted ? resolve() : reject(error)))
    socket.once('close', (code) => (ended.aborted ? resolve() : reject(new Error(`the stream ended with ${code}`))))
  })
}
