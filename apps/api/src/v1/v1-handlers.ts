import type { V1Handlers } from '@dexfeed/contract'
import { MINUTE } from '@dexfeed/dex'
import type { Reader } from '@dexfeed/store'
import { LRUCache } from 'lru-cache'
import { type CandlesOptions, candles } from './candles.ts'
import { type PoolsOptions, pool, pools } from './pools.ts'
import { type SwapsOptions, swaps } from './swaps.ts'
import { type TokensOptions, token, tokens } from './tokens.ts'
import { type VolumeOptions, volume } from './volume.ts'
import { type WashFlagsOptions, washFlags } from './wash-flags.ts'

interface ProtocolsOptions {
  reader: Pick<Reader, 'protocols'>
}

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

/** Serves `/v1/protocols`: the DEXes with stored pools. Counted once a minute at most. */
function protocols({ reader }: ProtocolsOptions): V1Handlers['listProtocols'] {
  const counted = new LRUCache<'all', Awaited<ReturnType<Reader['protocols']>>>({
    ...{ max: 1, ttl: MINUTE },
    fetchMethod: () => reader.protocols(),
  })
  return async () => ({ body: { data: (await counted.forceFetch('all')).map((one) => ({ ...one })) } })
}
