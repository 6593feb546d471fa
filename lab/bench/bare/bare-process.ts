import type { Shutdown } from '@dexfeed/service'
import { startPeer } from '../programs.ts'
import type { BareFunctions } from './bare-server.ts'
import type { Servers } from './compare.ts'

/** Starts the bare server, the floor of the measurement. */
export async function startBareServer(
  shutdown: Shutdown,
): Promise<Pick<Servers, 'bareUrl' | 'barePid' | 'setResponses'>> {
  const { child, call } = startPeer<BareFunctions>('lab/bench/dist/bench-bare.js', { heapMb: 4_096, shutdown })
  return {
    bareUrl: await call('listen'),
    barePid: child.pid ?? 0,
    setResponses: (responses) => call('setResponses', responses),
  }
}
