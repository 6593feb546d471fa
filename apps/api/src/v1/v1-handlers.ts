import type { V1Handlers } from '@dexfeed/contract'
import { type CandlesOptions, candles } from './candles.ts'
import { type PoolsOptions, pool, pools } from './pools.ts'
import { type ProtocolsOptions, protocols } from './protocols.ts'
import { type SwapsOptions, swaps } from './swaps.ts'
import { type TokensOptions, token, tokens } from './tokens.ts'
import { type VolumeOptions, volume } from './volume.ts'
import { type WashFlagsOptions, washFlags } from './wash-flags.ts'

export type V1Options = SwapsOptions &
  TokensOptions &
  PoolsOptions &
  ProtocolsOptions &
  CandlesOptions &
  VolumeOptions &
  WashFlagsOptions

/** Returns the handler of each route under `/v1`. */
export function v1Handlers(options: V1Options): V1Handlers {
  return {
    searchSwaps: swaps(options),
    listTokens: tokens(options),
    getToken: token(options),
    listPools: pools(options),
    getPool: pool(options),
    listProtocols: protocols(options),
    listCandles: candles(options),
    listVolume: volume(options),
    listWashFlags: washFlags(options),
  }
}
