import type { NetworkName } from '@dexfeed/dex'
import { HttpFailure } from '../http/http-failure.ts'

/** Checks that the network of a request, if it names one, is among these, and returns it. @throws HttpFailure 404 */
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
