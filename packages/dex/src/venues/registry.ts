import { shapeOf, topicOf } from '../abi/contract-abi.ts'
import { hasWordsAndLists, hasWordsAndTails } from '../abi/words.ts'
import type { Address, Block, Hex, Log } from '../chain.ts'
import type { FormulaKind } from '../maths/formula.ts'
import type { Dex, DexKind, Pool, PoolAddress } from '../pool.ts'
import type { PoolEvent } from '../pool-event.ts'
import { NOT_QUOTED } from '../pool-state.ts'
import * as venues from './index.ts'
import { type EventDecoder, type Protocol, type StateReading, type Venue, WITHOUT_TOPIC } from './protocol.ts'

const ALL: readonly Venue[] = Object.values(venues)

const protocols = new Map<DexKind, Protocol>()
const formulas = new Map<string, FormulaKind>([[NOT_QUOTED, { name: NOT_QUOTED, of: () => null, work: 0, gas: 0 }]])
for (const protocol of ALL.flatMap(({ protocols }) => protocols)) {
  protocols.set(protocol.kind, protocol)
  for (const formula of protocol.formulas ?? []) formulas.set(formula.name, formula)
}

export const DEX_KINDS: readonly DexKind[] = [...protocols.keys()].sort()

/** @throws for a kind outside `DEX_KINDS` */
export function protocolOf(kind: DexKind): Protocol {
  const protocol = protocols.get(kind)
  if (protocol === undefined) throw new Error(`${kind} is no kind of DEX`)
  return protocol
}

/** Returns the formula of this name; null if this version does not know it. */
export function formulaKind(name: string): FormulaKind | null {
  return formulas.get(name) ?? null
}

export function builtInDexes(network: string): readonly unknown[] {
  return ALL.flatMap(({ deployments }) => deployments[network] ?? [])
}

/** Returns how to read a pool's state; null if its kind, hooks or unknown fee forbid quotes. */
export function stateReadingOf(pool: Pool): StateReading | null {
  const { dex, hooks } = pool
  const { state, stateWithFee, canHooksMoveAmounts } = protocolOf(dex.kind)
  if (dex.feeBps === null || (hooks !== undefined && canHooksMoveAmounts?.(pool) !== false)) return null
  return dex.feeCall === undefined ? state : (stateWithFee ?? null)
}

/** Returns the topics of the events by which configured contracts report new pools, besides those of `decodersOf`. */
export function creationTopics({ creation, created = [] }: Protocol): Hex[] {
  return [...(creation === null ? [] : [creation]), ...created].map(({ topic }) => topic)
}

/** Returns the pool that a log of the configured contract creates; null for other logs. */
export function createdPool({ creation, created = [] }: Protocol, log: Log): PoolAddress | null {
  const pool = creation?.read(log)?.pool
  return pool ?? created.find(({ topic }) => topic === log.topics[0])?.read(log) ?? null
}

export function dependenciesOf(pool: Pool): readonly Address[] {
  return protocolOf(pool.dex.kind).dependsOn?.(pool) ?? []
}

export function emittersOf(dexes: readonly Dex[]): Address[] {
  return dexes.flatMap(({ kind, factory }) => (protocolOf(kind).withoutTopic === undefined ? [] : [factory]))
}

/**
 * Returns decoders by first topic (`WITHOUT_TOPIC` for none). They return null for logs of another shape, since any
 * contract can emit these topics. Kinds that share a topic share its decoder.
 */
export function decodersOf(kinds: Iterable<DexKind>): ReadonlyMap<Hex, EventDecoder> {
  return new Map([...kinds].flatMap(decodersOfKind))
}

type Decoders = readonly (readonly [topic: Hex, EventDecoder])[]

/** Cached, because hashing a kind's events takes longer than reading a receipt. */
const made = new Map<DexKind, Decoders>()

function decodersOfKind(kind: DexKind): Decoders {
  const cached = made.get(kind)
  if (cached !== undefined) return cached
  const { events, withoutTopic } = protocolOf(kind)
  const decoders = new Map<Hex, EventDecoder>()
  for (const [event, decode] of Object.entries(events)) {
    const { topics, words, pointers, lists } = shapeOf(event)
    const hasTails = lists.length === 0 ? hasWordsAndTails : hasWordsAndLists
    // Events that share a topic differ in which fields are indexed.
    const other = decoders.get(topicOf(event))
    decoders.set(topicOf(event), (log) => {
      const hasShape = log.topics.length === topics && hasTails(log.data, words, lists.length === 0 ? pointers : lists)
      return hasShape ? decode(log) : (other?.(log) ?? null)
    })
  }
  const all: Decoders = withoutTopic === undefined ? [...decoders] : [[WITHOUT_TOPIC, withoutTopic], ...decoders]
  made.set(kind, all)
  return all
}

interface DecodedLogs {
  /** In log order; the pools are not yet verified. */
  events: PoolEvent[]
  /** Number of logs with a known topic, or none, but another shape. */
  malformed: number
}

export function decode(block: Block, decoders: ReadonlyMap<Hex, EventDecoder>): DecodedLogs {
  const events: PoolEvent[] = []
  let malformed = 0
  for (const log of block.logs) {
    const decoder = decoders.get(log.topics[0] ?? WITHOUT_TOPIC)
    if (decoder === undefined) continue
    const event = decoder(log)
    if (event === null) malformed++
    else events.push(event)
  }
  return { events, malformed }
}
