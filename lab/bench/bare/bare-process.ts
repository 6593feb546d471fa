import { fork } from 'node:child_process'
import { join } from 'node:path'
import { projectRoot, type Shutdown } from '@dexfeed/service'
import { channelTo } from '../child-messages.ts'
import { stopProgram } from '../indexer-process.ts'
import type { BareMessage, BareResponse } from './bare-messages.ts'
import type { Servers } from './compare.ts'

/** Starts the bare server, the floor of the measurement. */
export async function startBareServer(
  shutdown: Shutdown,
): Promise<Pick<Servers, 'bareUrl' | 'barePid' | 'setResponses'>> {
  const child = fork(join(projectRoot(), 'lab/bench/dist/bench-bare.js'))
  shutdown.add('bare server', () => stopProgram(child))
  const messages = channelTo<readonly BareResponse[], BareMessage>(child)
  const { url } = await messages.receive('listening')
  return {
    bareUrl: url,
    barePid: child.pid ?? 0,
    async setResponses(responses) {
      const ready = messages.receive('ready')
      messages.send(responses)
      await ready
    },
  }
}
