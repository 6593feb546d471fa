import { type Address, isCoin, type NetworkName, type PoolAddress } from '@dexfeed/dex'
import { HttpFailure } from '../http/http-failure.ts'
import type { V1Context } from './v1-context.ts'

export interface Named {
  tokens?: readonly (Address | undefined)[]
  pool?: PoolAddress | undefined
  protocol?: string | undefined
}

/** Checks the names in a request, because a wrong name may be why a response is empty. @throws HttpFailure 404 */
export async function checkKnown(
  { reader, protocols }: Pick<V1Context, 'reader' | 'protocols'>,
  networks: readonly NetworkName[],
  { tokens = [], pool, protocol }: Named,
): Promise<void> {
  const [only] = networks
  const where = networks.length === 1 && only !== undefined ? ` of ${only}` : ''
  const isKnown = async (on: (network: NetworkName) => Promise<boolean>) =>
    (await Promise.all(networks.map(on))).includes(true)
  for (const token of tokens) {
    if (token === undefined) continue
    const hasToken = async (network: NetworkName) =>
      isCoin(network, token) || (await reader.tokens(network, [token])).length > 0
    if (!(await isKnown(hasToken))) throw new HttpFailure(404, `no indexed pool${where} trades this token`)
  }
  if (protocol !== undefined && !(await isKnown(async (network) => (await protocols(network)).has(protocol)))) {
    throw new HttpFailure(404, `no indexed pool${where} is of this protocol; /v1/protocols lists the names`)
  }
  if (pool === undefined) return
  const page = { filter: { address: pool }, ascending: true, from: null, limit: 1 }
  if (!(await isKnown(async (network) => (await reader.findPools({ network, ...page })).rows.length > 0))) {
    throw new HttpFailure(404, `no such pool${where} is known`)
  }
}
