import { type Address, isCoin, type NetworkName, type PoolAddress } from '@dexfeed/dex'
import type { Reader } from '@dexfeed/store'
import { HttpFailure } from '../http/http-failure.ts'

export interface KnownReader {
  tokens: Reader['tokens']
  findPools: Reader['findPools']
}

export interface KnownOptions {
  reader: KnownReader
  protocols: (network: NetworkName) => Promise<ReadonlySet<string>>
}

export interface Named {
  tokens?: readonly (Address | undefined)[]
  pool?: PoolAddress | undefined
  protocol?: string | undefined
}

/** Checks the names in a request, because a wrong name may be why a response is empty. @throws HttpFailure 404 */
export async function checkKnown(
  { reader, protocols }: KnownOptions,
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
  if (pool !== undefined && !(await isKnown((network) => hasPool(reader, network, pool)))) {
    throw new HttpFailure(404, `no such pool${where} was ever traded in`)
  }
}

async function hasPool(reader: KnownReader, network: NetworkName, pool: PoolAddress): Promise<boolean> {
  const { rows } = await reader.findPools({ network, filter: { address: pool }, ascending: true, from: null, limit: 1 })
  return rows.length > 0
}
