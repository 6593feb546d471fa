import { type BlockHeader, SECOND } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import { HeadSocket } from './head-socket.ts'

export interface Latest {
  number: number
  /** Null where only the number was asked. */
  hash: string | null
}

export interface WatchHeadsOptions {
  /** ws(s) URLs, in order of preference; may be empty. */
  socketUrls: readonly string[]
  pollMs: number
  /** A socket without a head for this long is dead, whatever its pings say. */
  silenceMs: number
  /** Asks for the latest block: its number, and its hash too where `exact`. */
  latest(exact: boolean): Promise<Latest>
  /** Is called with what a socket announces; null: it has no readable header. */
  announced(header: BlockHeader | null): void
  /** The least time between two blocks. */
  blockTimeMs: number
  clock: Clock
  log: ChainLog
}

/** How often the head is still polled while a socket reports it. */
export const SLOW_POLL_MS = 5 * SECOND
/**
 * The hash is looked at too once in so many polls: a reorganisation may keep the height. Where a block comes within so
 * many, each poll asks for the whole header, which then need not be asked for again.
 */
const EXACT_EVERY = 4

/** Calls `onHead` when there may be a new head, at most once a turn of the event loop. Returns how to stop. */
export function watchHeads(options: WatchHeadsOptions, onHead: () => void): () => void {
  const { clock, log, socketUrls: urls, silenceMs, announced } = options
  const stopped = new AbortController()
  const { signal } = stopped
  let pending = false
  const onHint = (): void => {
    if (pending) return
    pending = true
    setImmediate(() => {
      pending = false
      if (!signal.aborted) onHead()
    })
  }
  const onAnnounced = (header: BlockHeader | null): void => {
    announced(header)
    onHint()
  }
  const socket = urls.length > 0 ? new HeadSocket({ urls, silenceMs, clock, log, signal, onHead: onAnnounced }) : null
  void pollHeads(options, socket, signal, onHint)
  return () => stopped.abort()
}

/** Polls as often as nothing better reports heads; a socket that is behind what the polls find is connected anew. */
async function pollHeads(
  { clock, log, pollMs, blockTimeMs, latest }: WatchHeadsOptions,
  socket: HeadSocket | null,
  signal: AbortSignal,
  onHint: () => void,
): Promise<void> {
  let last = null as Latest | null
  let unreported: number | null = null
  const exactEvery = blockTimeMs <= EXACT_EVERY * pollMs ? 1 : EXACT_EVERY
  for (let round = 0; !signal.aborted; round++) {
    const started = clock.now()
    const isExact = round % exactEvery === 0 || socket?.healthy === true
    const found = await latest(isExact).catch((error: unknown) => {
      log.debug({ err: error }, 'head poll failed')
      return null
    })
    if (signal.aborted) return
    if (found) {
      if (isNews(found, last)) onHint()
      last = { ...found, hash: found.hash ?? (isNews(found, last) ? null : (last?.hash ?? null)) }
    }
    const healthy = socket?.healthy ?? false
    const reported = socket?.lastHead ?? null
    const behind = healthy && found !== null && reported !== null && found.number > reported
    // A head that is missing at two polls in a row is no race between poll and socket.
    if (behind && unreported === reported) socket?.reconnect()
    unreported = behind ? reported : null
    const interval = healthy ? Math.max(SLOW_POLL_MS, pollMs) : pollMs
    await clock.sleep(Math.max(1, interval - (clock.now() - started)), signal)
  }
}

/** Also the hash of a number that was news without it: the block may be another one by now. */
function isNews(found: Latest, last: Latest | null): boolean {
  if (last === null || found.number !== last.number) return true
  return found.hash !== null && found.hash !== last.hash
}
