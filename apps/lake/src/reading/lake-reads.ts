import { NETWORK_NAMES } from '@dexfeed/dex'
import type { LakeSettings } from '@dexfeed/service'
import { type LakeKind, type LakeReads, type LakeRequest, type LakeRow, LakeUnavailable } from '@dexfeed/store'
import * as z from 'zod'
import type { ObjectStore } from '../objects/object-store.ts'
import { openBucket, rootOf } from '../query/lake-views.ts'
import { KINDS } from './kinds.ts'
import { LakeFiles } from './lake-files.ts'
import { openReadingDuck, type ReadingDuck } from './reading-duck.ts'

const MAX_DAYS = 4_000

/** Seconds since 1970, or days; far below what DuckDB can hold. */
const time = z.int().nonnegative().max(10_000_000_000)
const span = { from: time, to: time, network: z.enum(NETWORK_NAMES), firstDay: z.int().nonnegative().max(100_000) }
const versions = z.array(z.int().positive()).min(1).max(MAX_DAYS)
const requests = (Object.keys(KINDS) as LakeKind[]).map((kind) =>
  z.strictObject({ kind: z.literal(kind), ...span, versions, of: KINDS[kind].of }),
)
const anyRequest = z.union(requests)

/** Returns the request, or null if it is not one. */
export function parseRequest(body: unknown): LakeRequest | null {
  const parsed = anyRequest.safeParse(body)
  return parsed.success ? (parsed.data as LakeRequest) : null
}

export interface LakeRowReads extends LakeReads {
  /** Like `rows`, one by one. Throws the signal's reason if it aborts. */
  each<Kind extends LakeKind>(request: LakeRequest<Kind>, signal: AbortSignal): AsyncIterable<LakeRow<Kind>>
  close(): Promise<void>
}

/** Reads the files that manifests name, by DuckDB, which begins with the first request and sorts in `folder`. */
export function openLakeReads(
  objects: Pick<ObjectStore, 'getText'>,
  lake: LakeSettings['lake'],
  folder: string,
): LakeRowReads {
  const files = new LakeFiles(objects, rootOf(lake))
  let opened: Promise<ReadingDuck> | null = null
  const open = async () => {
    const duck = await openReadingDuck(folder)
    try {
      if ('bucket' in lake) await openBucket(duck, lake)
      return duck
    } catch (error) {
      duck.close()
      throw error
    }
  }
  async function* each<Kind extends LakeKind>(
    request: LakeRequest<Kind>,
    signal: AbortSignal,
  ): AsyncGenerator<LakeRow<Kind>, undefined> {
    opened ??= open().catch((error) => {
      opened = null
      throw error
    })
    const aborted = abortOf(signal)
    const duck = await Promise.race([opened, aborted])
    try {
      const from = await Promise.race([files.open(request), aborted])
      const source = { from, rows: (sql: string) => duck.rows(sql, signal), span: request }
      yield* KINDS[request.kind].read(source, request.of as never) as AsyncIterable<LakeRow<Kind>>
    } catch (error) {
      // Files may be gone.
      if (!signal.aborted) files.forget(request.network)
      throw error
    }
  }
  return {
    each,
    async rows(request, signal = new AbortController().signal) {
      const rows = []
      try {
        for await (const row of each(request, signal)) rows.push(row)
      } catch (error) {
        throw signal.aborted ? signal.reason : new LakeUnavailable((error as Error).message, error)
      }
      return rows
    },
    close: async () => (await opened?.catch(() => null))?.close(),
  }
}

/** A bucket that is slow must not hold up other requests. */
function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}
