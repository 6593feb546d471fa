import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { Reader } from '@dexfeed/store'
import { type LiveMarket, LiveMarketFollower } from './live-market.ts'

/** Commits are notified; the poll is for notifications that got lost. */
const POLL_MS = 1_000

export interface MarketFeed {
  /** Null: the network is not being indexed. Undefined: not known yet. */
  market(network: NetworkName): LiveMarket | null | undefined
  /** Settles once every market has been tried to read, whether or not that worked. */
  readonly firstRound: Promise<void>
  stop(): Promise<void>
}

export interface MarketFeedOptions {
  reader: Pick<Reader, 'market' | 'marketChanges' | 'pools' | 'unreadPools' | 'listen'>
  log: Logger
  pollMs?: number
}

/** Keeps the markets of all networks as the database has them, until stopped. */
export function startMarketFeed({ reader, log, pollMs = POLL_MS }: MarketFeedOptions): MarketFeed {
  const followers = NETWORK_NAMES.map((network) => new LiveMarketFollower(network, reader))
  const failing = new Set<NetworkName>()
  let stopped = false

  const refresh = async (follower: LiveMarketFollower) => {
    if (stopped) return
    try {
      await follower.refresh()
      if (failing.delete(follower.network)) log.info({ network: follower.network }, 'pool state is followed again')
    } catch (error) {
      // Told once an outage, not once a poll.
      if (!failing.has(follower.network) && !stopped) {
        log.warn({ network: follower.network, err: error }, 'cannot read pool state')
      }
      failing.add(follower.network)
    }
  }
  const refreshAll = () => Promise.all(followers.map(refresh))
  const rounds = new Set<Promise<unknown>>()
  const track = (round: Promise<unknown>) => {
    rounds.add(round)
    void round.then(() => rounds.delete(round))
  }

  const firstRound = refreshAll().then(() => undefined)
  track(firstRound)
  const timer = setInterval(() => track(refreshAll()), pollMs)
  const stopListening = reader.listen({
    onCommit(name) {
      const named = followers.filter(({ network }) => network === name)
      track(named.length > 0 ? Promise.all(named.map(refresh)) : refreshAll())
    },
    onLost: (error) => log.debug({ err: error }, 'not notified of commits; polling'),
  })
  return {
    market: (network) => followers.find((follower) => follower.network === network)?.current,
    firstRound,
    async stop() {
      stopped = true
      clearInterval(timer)
      await stopListening()
      await Promise.all(rounds)
    },
  }
}
