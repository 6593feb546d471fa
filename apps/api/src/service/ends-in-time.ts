import { setTimeout as delay } from 'node:timers/promises'

/** Returns whether work ends within `ms`. @throws what it throws in this time; a later failure is ignored */
export async function endsInTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  const over = new AbortController()
  const late = delay(ms, false, { ref: false, signal: over.signal }).catch(() => false)
  work.catch(() => undefined)
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    over.abort()
  }
}
