import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { Changes } from '../service/change-feed.ts'
import { LiveMarketFollower } from './live-market.ts'
import type { Markets } from './quote-desk.ts'

export interface MarketFeed extends Markets {
  /** Resolves after the first attempt to load every market, even if some failed. */
  readonly firstRound: Promise<void>
  stop(): Promise<void>
}

export interface MarketFeedOptions {
  reader: ConstructorParameters<typeof LiveMarketFollower>[1]
  changes: Changes
  log: Logger
}

export function startMarketFeed({ reader, changes, log }: MarketFeedOptions): MarketFeed {
  const followers = NETWORK_NAMES.map((network) => new LiveMarketFollower(network, reader))
  const followerOf = (network: NetworkName) => followers.find((follower) => follower.network === network)
  const failing = new Set<NetworkName>()
  let stopped = false

  const refresh = async (follower: LiveMarketFollower) => {
    if (stopped) return
    try {
      await follower.refresh()
      if (failing.delete(follower.network)) log.info({ network: follower.network }, 'pool state is followed again')
    } catch (error) {
      // Logged once per outage, not once per poll.
      if (!failing.has(follower.network) && !stopped) {
        log.warn({ network: follower.network, err: error }, 'cannot read pool state')
      }
      failing.add(follower.network)
    }
  }
  const rounds = new Set<Promise<unknown>>()
  const track = (round: Promise<unknown>) => {
    rounds.add(round)
    void round.then(() => rounds.delete(round))
  }

  const firstRound = Promise.all(followers.map(refresh)).then(() => undefined)
  track(firstRound)
  changes.subscribe(({ network: name }) => {
    const named = followers.filter(({ network }) => name === null || network === name || failing.has(network))
    track(Promise.all(named.map(refresh)))
  })
  return {
    market: (network) => followerOf(network)?.current,
    changing: (network) => followerOf(network)?.changing ?? null,
    firstRound,
    async stop() {
      stopped = true
      await Promise.all(rounds)
    },
  }
}
