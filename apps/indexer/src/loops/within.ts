import { setTimeout as delay } from 'node:timers/promises'

/** Returns what the work returns. Rejects with the error `late` if that takes longer than this time. */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  const done = new AbortController()
  const timer = delay(ms, undefined, { signal: done.signal }).then(() => {
    throw late()
  })
  return Promise.race([work, timer]).finally(() => done.abort())
}
