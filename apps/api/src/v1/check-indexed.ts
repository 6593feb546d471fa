import type { NetworkName } from '@dexfeed/dex'
import { HttpFailure } from '../http/http-failure.ts'

/** Returns the network of a request, undefined if it names none. @throws HttpFailure 404 if it is not indexed */
export function checkIndexed<Indexed extends { network: NetworkName }, Name extends NetworkName | undefined>(
  network: Name,
  networks: readonly Indexed[],
): Name extends NetworkName ? Indexed : Indexed | undefined
export function checkIndexed<Indexed extends { network: NetworkName }>(
  network: NetworkName | undefined,
  networks: readonly Indexed[],
): Indexed | undefined {
  const indexed = networks.find((indexed) => indexed.network === network)
  if (network === undefined || indexed !== undefined) return indexed
  throw new HttpFailure(404, `${network} is not indexed by this server`, {}, 'network_not_indexed')
}
