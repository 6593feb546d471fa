import { type Devnet, type DevnetOptions, startDevnet } from '@dexfeed/devnet'
import type { ProgramContext } from '@dexfeed/service'

/** Starts local chains that end with this program. It ends if a chain does. A partial start is stopped. */
export async function openDevnet(
  { log, shutdown }: Pick<ProgramContext<unknown>, 'log' | 'shutdown'>,
  options: Omit<DevnetOptions, 'log' | 'signal'>,
): Promise<Devnet> {
  const starting = startDevnet({ ...options, log, signal: shutdown.signal })
  shutdown.add('chains', async () => {
    const devnet = await starting.catch(() => null)
    await devnet?.stop()
  })
  const devnet = await starting
  void devnet.died.then((how) => {
    if (shutdown.signal.aborted) return
    log.error({ how }, 'a chain is gone')
    shutdown.begin('a chain is gone', 1)
  })
  return devnet
}
