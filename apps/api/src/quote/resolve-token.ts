import type { TokenReference } from '@dexfeed/contract'
import { type Address, isCoin, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { HttpFailure } from '../http/http-failure.ts'
import { type CatalogToken, nativeToken, type TokenCatalog } from '../token-catalog.ts'

export interface TokenScope {
  network: NetworkName
  wrappedNative: Address
  catalog: TokenCatalog
}

/**
 * Finds a token by a symbol or placeholder of the native coin, a curated symbol, or the address of a known contract.
 *
 * @throws HttpFailure 404, without the caller's text
 */
export async function resolveToken(
  parameter: string,
  reference: TokenReference,
  scope: TokenScope,
): Promise<CatalogToken> {
  const { network, wrappedNative, catalog } = scope
  if (isNative(reference, network)) return nativeToken(network, wrappedNative)
  const address = reference.kind === 'address' ? reference.address : await addressOf(parameter, reference.symbol, scope)
  const token = await catalog.token(network, address)
  if (token === undefined) throw new HttpFailure(404, `${parameter}: no indexed pool of ${network} trades this token`)
  if (token === null) throw new HttpFailure(404, `${parameter}: the decimals of this token are unknown`)
  return token
}

function isNative(reference: TokenReference, network: NetworkName): boolean {
  if (reference.kind === 'address') return isCoin(network, reference.address)
  const { symbol, aliases } = NETWORKS[network].native
  return [symbol, ...aliases].includes(reference.symbol.toUpperCase())
}

async function addressOf(parameter: string, symbol: string, { network, catalog }: TokenScope): Promise<Address> {
  const [address, ...others] = await catalog.symbol(network, symbol)
  const hint = 'use the contract address instead'
  if (address === undefined) {
    throw new HttpFailure(404, `${parameter}: this symbol is not supported on ${network}; ${hint}`)
  }
  if (others.length > 0) {
    throw new HttpFailure(404, `${parameter}: this symbol is ambiguous on ${network}; ${hint}`)
  }
  return address
}
