import { NETWORK_NAMES, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { Reader } from '@dexfeed/store'

/** Commits are notified. The poll finds changes that are not, and lost notifications. */
const POLL_MS = SECOND

/** A change is reported again for this long, because some reads are cached for a few seconds. */
const REPEAT_MS = 4 * SECOND

/** A change of the database, or a possible one. */
interface Change {
  /** Null if the change concerns any network, or none in particular. */
  network: NetworkName | null
}

/** The only source of database changes in this process. */
export interface ChangeFeed {
  /**
   * Calls the listener at every change until the returned function is called. A listener must return quickly: many
   * wait.
   */
  subscribe(listener: (change: Change) => void): () => void
  stop(): Promise<void>
}

export interface ChangeFeedOptions {
  reader: Pick<Reader, 'listen' | 'revision'>
  log: Logger
  pollMs?: number
}

/** Listens to notifications, and polls every second for other changes. */
export function startChangeFeed({ reader, log, pollMs = POLL_MS }: ChangeFeedOptions): ChangeFeed {
  const listeners = new Set<(change: Change) => void>()
  const notify = (network: NetworkName | null) => {
    for (const listener of listeners) listener({ network })
  }
  let known: string | null = null
  let changedAt = performance.now()
  let checking: Promise<void> | null = null
  const check = async () => {
    const revision = await reader.revision().catch(() => null)
    // If the revision is unknown, there may be a change.
    if (revision === null || revision !== known) changedAt = performance.now()
    if (performance.now() - changedAt < REPEAT_MS) notify(null)
    known = revision
    checking = null
  }
  const timer = setInterval(() => {
    if (checking === null) checking = check()
    else notify(null)
  }, pollMs)
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
