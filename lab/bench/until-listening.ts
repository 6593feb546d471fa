import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'

const LOOK_MS = 100

/** Waits until a program returns 200 for a URL. @throws if it ends before, or when `signal` aborts */
export async function untilListening(url: string, child: ChildProcess, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('the API ended')
    const status = await fetch(url).then(
      (response) => response.arrayBuffer().then(() => response.status),
      () => 0,
    )
    if (status === 200) return
    await delay(LOOK_MS, undefined, { signal })
  }
}
