import { SECOND } from '@dexfeed/dex'
import { type LakeReads, LakeTooMuch, LakeUnavailable } from '@dexfeed/store'

/** A second longer than the lake program may take. */
const PATIENCE_MS = 6 * SECOND
/** Of a request that is too large, and of one whose answer is. */
const TOO_MUCH = [413, 422]

/** Returns reads by the lake program at this URL (LAKE_READ_URL). */
export function lakeClient(url: string): LakeReads {
  const rows = new URL('rows', url.endsWith('/') ? url : `${url}/`)
  return {
    async rows(request, signal) {
      const late = AbortSignal.timeout(PATIENCE_MS)
      try {
        const response = await fetch(rows, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(request),
          redirect: 'error',
          signal: signal === undefined ? late : AbortSignal.any([signal, late]),
        })
        if (!response.ok) {
          await response.body?.cancel()
          throw TOO_MUCH.includes(response.status) ? new LakeTooMuch() : new Error(`status ${response.status}`)
        }
        return ((await response.json()) as { rows: never[] }).rows
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        throw error instanceof LakeTooMuch ? error : new LakeUnavailable(reasonOf(error), error)
      }
    },
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
