import { listCandles } from './candles.ts'
import { getPool, listPools } from './pools.ts'
import { listProtocols } from './protocols.ts'
import type { Route } from './route.ts'
import { searchSwaps } from './swaps.ts'
import { getToken, listTokens } from './tokens.ts'
import { listVolume } from './volume.ts'
import { listWashFlags } from './wash-flags.ts'

/**
 * Every route under `/v1`, by its operation. The OpenAPI document has exactly these routes, and so has the API. Neither
 * compiles while a handler is missing.
 */
export const V1_ROUTES = {
  searchSwaps,
  listTokens,
  getToken,
  listPools,
  getPool,
  listProtocols,
  listCandles,
  listVolume,
  listWashFlags,
} as const satisfies Record<string, Route>
export type V1Routes = typeof V1_ROUTES
