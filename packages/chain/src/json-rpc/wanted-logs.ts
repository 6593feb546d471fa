import type { Log } from '@dexfeed/dex'
import type { LogFilter } from './requests.ts'
import { type PlacedLog, readLogs } from './rpc-log.ts'
import { type RpcObject, readArray } from './rpc-value.ts'

/**
 * The one place that says which logs a filter wants: those with one of its topics, and those without any topic of its
 * emitters. All of a node's hex may be in upper case.
 */
export class WantedLogs {
  readonly topics: ReadonlySet<string>
  readonly emitters: ReadonlySet<string>

  constructor({ topics, emitters = [] }: LogFilter) {
    this.topics = new Set(topics)
    this.emitters = new Set(emitters)
  }

  has({ address, topics: [topic] }: Pick<Log, 'address' | 'topics'>): boolean {
    return topic === undefined ? this.emitters.has(address) : this.topics.has(topic)
  }

  /** The same of a log as a node shows it. */
  hasShown({ address, topics }: RpcObject): boolean {
    const [topic] = readArray(topics, 'log.topics')
    return topic === undefined ? isAmong(this.emitters, address) : isAmong(this.topics, topic)
  }
}

function isAmong(known: ReadonlySet<string>, shown: unknown): boolean {
  return typeof shown === 'string' && (known.has(shown) || known.has(shown.toLowerCase()))
}

/** The logs of a filter in the answers to its requests, which come in the requests' order. */
export function readFoundLogs(
  answers: readonly unknown[],
  filter: LogFilter,
  inconsistent: (what: string) => Error,
): PlacedLog[] {
  const [byTopic, byContract] = answers
  const logs = readLogs(byTopic, inconsistent)
  if (byContract === undefined) return logs
  // With a topic they are those of the first answer, or none that is wanted.
  const wanted = new WantedLogs({ topics: [], emitters: filter.emitters ?? [] })
  return [...logs, ...readLogs(byContract, inconsistent).filter((log) => wanted.has(log))]
}
