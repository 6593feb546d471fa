import type { NetworkName } from '@dexfeed/dex'
import type { IndexedNetwork } from '@dexfeed/store'
import { HttpFailure } from '../http/http-failure.ts'

/** Checks that the network of a request is among these. @throws HttpFailure 404 */
export function checkIndexed(
  network: NetworkName | undefined,
  networks: readonly Pick<IndexedNetwork, 'network'>[],
): void {
  if (network === undefined || networks.some((one) => one.network === network)) return
  throw new HttpFailure(404, `${network} is not indexed by this server`, {}, 'network_not_indexed')
}
