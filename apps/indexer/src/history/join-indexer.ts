import { type Budget, type BudgetNews, remoteBudgets } from '@dexfeed/chain'
import { type NetworkName, SECOND } from '@dexfeed/dex'
import type { NetworkSettings } from '@dexfeed/service'
import type { RangeCommit } from '@dexfeed/store'
import type { ReferenceCache } from '../blocks/reference-history.ts'
import { commitCounts, type HistoryReports, type Report, type ToHistory, type ToIndexer } from './messages.ts'

const WELCOME_MS = 10 * SECOND

type Welcome = Extract<ToHistory, { kind: 'welcome' }>

export interface JoinedIndexer {
  budgets: readonly Budget[]
  reports: HistoryReports & { onCommit(commit: RangeCommit): void }
  /** Returns null if the indexer has read none so far. */
  references: () => Promise<ReferenceCache | null>
}

export interface Channel {
  send(message: ToIndexer): void
  onMessage(listen: (message: ToHistory) => void): void
}

export function channelToParent(): Channel {
  return {
    send: (message) => {
      // A closed channel counts as connected until its end has been read. Without a callback, sending would then cause
      // an uncaught exception.
      if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
    },
    onMessage: (listen) => process.on('message', listen),
  }
}

/** @throws Error if the indexer does not respond */
export async function joinIndexer(
  channel: Channel,
  networks: readonly NetworkSettings[],
): Promise<(network: NetworkName) => JoinedIndexer> {
  const news = await welcomed(channel)
  const joined = new Map(
    networks.map((settings) => {
      const { network } = settings
      const budgets = budgetsFrom(channel, settings, news[network] ?? [])
      const reports = reportsTo((report) => channel.send({ kind: 'report', network, report }))
      return [network, { budgets, reports, references: referencesFrom(channel, network) }]
    }),
  )
  return (network) => {
    const found = joined.get(network)
    if (found === undefined) throw new Error(`the indexer does not have ${network}`)
    return found
  }
}

function welcomed({ send, onMessage }: Channel): Promise<Welcome['news']> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error('the indexer does not respond to its history process'))
    const timer = setTimeout(late, WELCOME_MS)
    onMessage((message) => {
      if (message.kind !== 'welcome') return
      clearTimeout(timer)
      resolve(message.news)
    })
    send({ kind: 'joined' })
  })
}

function budgetsFrom(
  { send, onMessage }: Channel,
  { network, rpcUrls: urls, ...settings }: NetworkSettings,
  news: readonly BudgetNews[],
): readonly Budget[] {
  const budgets = remoteBudgets({ ...settings, network, urls }, news, (place, call) =>
    send({ kind: 'budget', network, place, call }),
  )
  onMessage((message) => {
    if (message.kind === 'budget' && message.network === network) budgets[message.place]?.receive(message.reply)
  })
  return budgets
}

function referencesFrom({ send, onMessage }: Channel, network: NetworkName): JoinedIndexer['references'] {
  let cache: Promise<ReferenceCache | null> | null = null
  return () => {
    cache ??= new Promise((resolve) => {
      onMessage((message) => {
        if (message.kind === 'references' && message.network === network) resolve(message.cache)
      })
      send({ kind: 'references', network })
    })
    return cache
  }
}

function reportsTo(send: (report: Report) => void): JoinedIndexer['reports'] {
  return {
    onRead: (...values) => send({ name: 'onRead', values }),
    onProof: (...values) => send({ name: 'onProof', values }),
    onRequest: (...values) => send({ name: 'onRequest', values }),
    onStored: (...values) => send({ name: 'onStored', values }),
    onDropped: (...values) => send({ name: 'onDropped', values }),
    onCommit: (commit) => send({ name: 'onStored', values: [commitCounts(commit)] }),
  }
}
