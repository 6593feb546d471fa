import type { V1Handlers } from '@dexfeed/contract'
import type { CatalogPlace } from '@dexfeed/store'

type Place = NonNullable<Parameters<V1Handlers['listTokens']>[1]['from']>

/** A place of a list by network and address, from a cursor. */
export function placeOf(at: Place | null): CatalogPlace | null {
  if (at === null) return null
  const [network, address, side] = at
  return { network, address: address as `0x${string}`, side }
}

/** The same for a cursor. */
export function cursorPlaceOf(place: CatalogPlace | null): Place | null {
  return place && [place.network, place.address, place.side]
}
