import { WORD, wordText } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import type { Pool, PoolAddress } from '../../pool.ts'
import { emitterOf, idOf } from '../../venues/managed-pool.ts'
import { protocolOf } from '../../venues/registry.ts'
import type { Hop } from '../trade.ts'

/** Finds the logs about pools of managers and vaults. Indexed, because a block may be full of either. */
export class ManagedLogs {
  readonly #byEmitterAndWord = new Map<string, Log[]>()
  /** Of other contracts than the managers. */
  readonly #byTopicAndWord = new Map<string, Log[]>()

  /** @param hops tell which contracts are managers */
  constructor(logs: readonly Log[], hops: readonly Hop[]) {
    const emitters = new Map<Address, Pool>()
    const foreign = new Set<Hex>()
    for (const { pool } of hops) {
      if (emitterOf(pool.address) === pool.address) continue
      emitters.set(emitterOf(pool.address), pool)
      for (const topic of protocolOf(pool.dex.kind).managed?.foreignTopics ?? []) foreign.add(topic)
    }
    for (const log of logs) {
      const [topic, word] = log.topics
      if (topic !== undefined && word !== undefined && foreign.has(topic)) note(this.#byTopicAndWord, topic + word, log)
      const pool = emitters.get(log.address)
      if (pool === undefined) continue
      const isIdInData = protocolOf(pool.dex.kind).managed?.isIdInData === true
      const words = isIdInData ? new Set(wordsOf(log.data)) : word === undefined ? [] : [word]
      for (const each of words) note(this.#byEmitterAndWord, log.address + each, log)
    }
  }

  of({ address }: Pool): readonly Log[] {
    return this.#byEmitterAndWord.get(emitterOf(address) + wordOf(address)) ?? []
  }

  /** See `ManagedChanges.largestChange`. 0 for a protocol whose pools change by swaps alone. */
  largestChange(pool: Pool, token: Address, wasPaidIn: boolean): bigint | null {
    const { managed } = protocolOf(pool.dex.kind)
    if (managed?.largestChange === undefined) return 0n
    const word = wordOf(pool.address)
    const foreign = (managed.foreignTopics ?? []).flatMap((topic) => this.#byTopicAndWord.get(topic + word) ?? [])
    return managed.largestChange({ pool, token, wasPaidIn, ofPool: this.of(pool), foreign })
  }
}

function note(logs: Map<string, Log[]>, key: string, log: Log): void {
  const known = logs.get(key)
  if (known === undefined) logs.set(key, [log])
  else known.push(log)
}

function wordOf(pool: PoolAddress): string {
  return `0x${idOf(pool).slice(2).padStart(WORD, '0')}`
}

function wordsOf(data: Hex): Hex[] {
  return Array.from({ length: Math.floor((data.length - 2) / WORD) }, (_, place) => wordText(data, place))
}
