import type { V1Handlers } from '@dexfeed/contract'
import { MINUTE } from '@dexfeed/dex'
import type { Reader } from '@dexfeed/store'
import { LRUCache } from 'lru-cache'

export interface ProtocolsOptions {
  reader: Pick<Reader, 'protocols'>
}

/** Serves `/v1/protocols`: the DEXes with stored pools. Counted once a minute at most. */
export function protocols({ reader }: ProtocolsOptions): V1Handlers['listProtocols'] {
  const counted = new LRUCache<'all', Awaited<ReturnType<Reader['protocols']>>>({
    ...{ max: 1, ttl: MINUTE },
    fetchMethod: () => reader.protocols(),
  })
  return async () => ({ body: { data: (await counted.forceFetch('all')).map((one) => ({ ...one })) } })
}
