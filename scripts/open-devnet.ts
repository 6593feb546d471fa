import { type Devnet, type DevnetOptions, startDevnet } from '@dexfeed/devnet'
import type { ProgramContext } from '@dexfeed/service'

/** Starts local chains that end with this program. If a chain ends, so does the program. A partial start is undone. */
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
