import { type Devnet, type DevnetOptions, startDevnet } from '@dexfeed/devnet'
import type { NetworkName } from '@dexfeed/dex'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'

const log = { info: () => undefined, warn: () => undefined }

/** Starts local chains that end with the test, or with the file if a hook starts them. */
export async function testDevnet<N extends NetworkName = NetworkName>(
  options: Omit<DevnetOptions<N>, 'dataDir' | 'log'>,
): Promise<Devnet<N>> {
  const devnet = await startDevnet({ ...options, dataDir: temporaryFolder(), log })
  closeAfter(() => devnet.stop())
  return devnet
}
