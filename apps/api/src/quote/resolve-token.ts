import { type TokenReference, TokenSymbol, type WithAddresses } from '@dexfeed/contract'
import { type Address, isCoin, NETWORKS, type NetworkName, ZERO_ADDRESS } from '@dexfeed/dex'
import { HttpFailure } from '../http/http-failure.ts'
import { indexedOf } from '../service/freshness.ts'
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
  const address = await addressOf(parameter, reference, scope)
  if (isCoin(network, address)) return nativeToken(network, wrappedNative)
  const token = await catalog.token(network, address)
  if (token === undefined) throw new HttpFailure(404, `${parameter}: no indexed pool of ${network} trades this token`)
  if (token === null) throw new HttpFailure(404, `${parameter}: the decimals of this token are unknown`)
  return token
}

type IndexedNetworks = () => Promise<readonly { network: NetworkName }[]>

/**
 * Replaces the symbols in a request by addresses.
 *
 * @param indexed the indexed networks; absent if the one of the request is known to be indexed
 * @throws HttpFailure 400 for a symbol without a network, 404 for one that is not listed or ambiguous
 */
export async function withAddresses<Request extends { network?: NetworkName | undefined }>(
  request: Request,
  catalog: TokenCatalog,
  indexed?: IndexedNetworks,
): Promise<WithAddresses<Request>> {
  const resolved: Record<string, unknown> = { ...request }
  const addressIn = async (parameter: string, value: unknown): Promise<unknown> => {
    if (!(value instanceof TokenSymbol)) return value
    const { network } = request
    if (network !== undefined) return addressOf(parameter, value, { network, catalog, indexed })
    throw new HttpFailure(400, `${parameter}: a symbol needs the parameter network`, {}, 'invalid_parameter')
  }
  for (const [name, value] of Object.entries(request)) {
    if (!Array.isArray(value)) resolved[name] = await addressIn(name, value)
    else if (value.some((item) => item instanceof TokenSymbol)) {
      const addresses: unknown[] = []
      for (const [index, item] of value.entries()) {
        addresses.push(await addressIn(value.length === 1 ? name : `${name}[${index}]`, item))
      }
      resolved[name] = addresses
    }
  }
  return resolved as WithAddresses<Request>
}

/** Returns the address of a token; of the coin, the zero address or the placeholder that was given. */
async function addressOf(
  parameter: string,
  reference: TokenReference,
  { network, catalog, indexed }: Pick<TokenScope, 'network' | 'catalog'> & { indexed?: IndexedNetworks | undefined },
): Promise<Address> {
  if (!(reference instanceof TokenSymbol)) return reference
  const { symbol, aliases } = NETWORKS[network].native
  if ([symbol, ...aliases].includes(reference.text.toUpperCase())) return ZERO_ADDRESS
  const [address, ...others] = await catalog.symbol(network, reference.text)
  const hint = 'use the contract address instead'
  if (address === undefined) {
    // Symbols of networks that are not indexed are not stored.
    if (indexed !== undefined) indexedOf(network, await indexed())
    throw new HttpFailure(404, `${parameter}: this symbol is not supported on ${network}; ${hint}`)
  }
  if (others.length > 0) {
    throw new HttpFailure(404, `${parameter}: this symbol is ambiguous on ${network}; ${hint}`)
  }
  return address
}
