import { NETWORK_NAMES, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { Reader } from '@dexfeed/store'

/** Commits are notified; the poll is for those that are not, and for notifications that got lost. */
const POLL_MS = SECOND

/** So long after a change it is told again: some of what is read is kept for a few seconds. */
const AGAIN_MS = 4 * SECOND

/** What has changed in the database, or may have. */
interface Change {
  /** Null: any network, or what belongs to none. */
  network: NetworkName | null
}

/** The one place that learns of changes of the database; whoever follows it listens here. */
export interface ChangeFeed {
  /** Calls back at every change until the returned function has been called. The listener only notes it: many wait. */
  subscribe(listener: (change: Change) => void): () => void
  stop(): Promise<void>
}

export interface ChangeFeedOptions {
  reader: Pick<Reader, 'listen' | 'revision'>
  log: Logger
  pollMs?: number
}

/** Listens to what is notified, and asks every second whether anything has changed that was not. */
export function startChangeFeed({ reader, log, pollMs = POLL_MS }: ChangeFeedOptions): ChangeFeed {
  const listeners = new Set<(change: Change) => void>()
  const tell = (network: NetworkName | null) => {
    for (const listener of listeners) listener({ network })
  }
  let known: string | null = null
  let changedAt = performance.now()
  let asking: Promise<void> | null = null
  const ask = async () => {
    const revision = await reader.revision().catch(() => null)
    // Whoever does not know whether something has changed must look.
    if (revision === null || revision !== known) changedAt = performance.now()
    if (performance.now() - changedAt < AGAIN_MS) tell(null)
    known = revision
    asking = null
  }
  const timer = setInterval(() => {
    if (asking === null) asking = ask()
    else tell(null)
  }, pollMs)
  const stopListening = reader.listen({
    onCommit: (name) => tell(NETWORK_NAMES.find((network) => network === name) ?? null),
    onLost(error) {
      log.debug({ err: error }, 'not notified of commits; polling')
      tell(null)
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
      await asking
    },
  }
}
