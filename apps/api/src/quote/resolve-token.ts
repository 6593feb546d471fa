import type { TokenReference } from '@dexfeed/contract'
import { type Address, isCoin, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { HttpFailure } from '../http/http-failure.ts'
import { type CatalogToken, nativeToken, type TokenCatalog } from '../token-catalog.ts'

export interface TokenScope {
  network: NetworkName
  wrappedNative: Address
  catalog: Pick<TokenCatalog, 'fresh' | 'token' | 'symbol'>
}

/**
 * Returns the token that a request means: the coin by its symbols and placeholders, a curated symbol, or a known
 * contract. Returns no promise if nothing has to be read: a promise per request is a notable part of a quote's cost.
 *
 * @throws HttpFailure 404; its message never contains the caller's text
 */
export function resolveToken(
  parameter: string,
  reference: TokenReference,
  scope: TokenScope,
): CatalogToken | Promise<CatalogToken> {
  const { network, wrappedNative, catalog } = scope
  if (isNative(reference, network)) return nativeToken(network, wrappedNative)
  const known = reference.kind === 'address' ? catalog.fresh(network, reference.address) : null
  return known ?? readToken(parameter, reference, scope)
}

async function readToken(parameter: string, reference: TokenReference, scope: TokenScope): Promise<CatalogToken> {
  const { network } = scope
  const address = reference.kind === 'address' ? reference.address : await addressOf(parameter, reference.symbol, scope)
  const token = await scope.catalog.token(network, address)
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
