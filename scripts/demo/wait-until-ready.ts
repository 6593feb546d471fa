import { setTimeout as delay } from 'node:timers/promises'

const PAUSE_MS = 200

/** Resolves when the API says that all networks are indexed. Rejects with the signal's reason. */
export async function waitUntilReady(base: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    try {
      const { status } = await fetch(`${base}/readyz`, { signal })
      if (status === 200) return
    } catch {
      // Not listening yet.
    }
    await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined)
  }
}
