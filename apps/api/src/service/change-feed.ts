import { NETWORK_NAMES, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { Reader } from '@dexfeed/store'

/** Commits are notified; the poll is for those that are not, and for notifications that got lost. */
const POLL_MS = SECOND

/** So long after a change it is told again: some of what is read is kept for a few seconds. */
const AGAIN_MS = 4 * SECOND

/** Tells that the database has changed, or may have. */
export interface ChangeFeed {
  /** Calls back at every change; null: of any network, or of what belongs to none. */
  onChange(callback: (network: NetworkName | null) => void): void
  stop(): Promise<void>
}

export interface ChangeFeedOptions {
  reader: Pick<Reader, 'listen' | 'revision'>
  log: Logger
  pollMs?: number
}

/** Listens to what is notified, and asks every second whether anything has changed that was not. */
export function startChangeFeed({ reader, log, pollMs = POLL_MS }: ChangeFeedOptions): ChangeFeed {
  const callbacks: ((network: NetworkName | null) => void)[] = []
  const tell = (network: NetworkName | null) => {
    for (const callback of callbacks) callback(network)
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
    onChange: (callback) => void callbacks.push(callback),
    async stop() {
      clearInterval(timer)
      await stopListening()
      await asking
    },
  }
}
