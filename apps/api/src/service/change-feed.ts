import { NETWORK_NAMES, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { Reader } from '@dexfeed/store'

/** Commits send notifications; the poll finds other changes and commits whose notification was lost. */
const POLL_MS = SECOND

/** A change is reported again for this long, because some reads are cached for a few seconds. */
const REPEAT_MS = 4 * SECOND

interface Change {
  /** Null means any network, or none in particular. */
  network: NetworkName | null
}

export interface Changes {
  /** Calls the listener, which must return quickly, on every change. Returns a function that unsubscribes it. */
  subscribe(listener: (change: Change) => void): () => void
}

/** Returns a function that marks a moment. It returns another one, which tells whether no change was reported since. */
export function changeMarks(changes: Changes): () => () => boolean {
  let reported = 0
  changes.subscribe(() => {
    reported++
  })
  return () => {
    const before = reported
    return () => reported === before
  }
}

export interface ChangeFeed extends Changes {
  stop(): Promise<void>
}

export interface ChangeFeedOptions {
  reader: { listen: Reader['listen']; revision: Reader['revision'] }
  log: Logger
}

export function startChangeFeed({ reader, log }: ChangeFeedOptions): ChangeFeed {
  const listeners = new Set<(change: Change) => void>()
  const notify = (network: NetworkName | null) => {
    for (const listener of listeners) listener({ network })
  }
  let known: string | null = null
  let changedAt = performance.now()
  let checking: Promise<void> | null = null
  const check = async () => {
    const revision = await reader.revision().catch(() => null)
    if (revision === null || revision !== known) changedAt = performance.now()
    if (performance.now() - changedAt < REPEAT_MS) notify(null)
    known = revision
    checking = null
  }
  const timer = setInterval(() => {
    if (checking === null) checking = check()
    else notify(null)
  }, POLL_MS)
  const stopListening = reader.listen({
    onCommit: (name) => notify(NETWORK_NAMES.find((network) => network === name) ?? null),
    onLost(error) {
      log.debug({ err: error }, 'not notified of commits; polling')
      notify(null)
    },
  })
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async stop() {
      clearInterval(timer)
      await stopListening()
      await checking
    },
  }
}
