import { Interface } from 'ethers'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import { type AbiValue, plainValues } from './contract-call.ts'
import { shapeOf, topicOf } from './fragment.ts'
import { hasWords } from './words.ts'

/** An event that is read rarely, through ethers. Pool events are decoded by slicing instead. */
export interface ContractEvent<T> {
  topic: Hex
  read(log: Log): T | null
}

/** Returns a reader from a human-readable ABI. `make` receives the arguments in order. */
export function contractEvent<Values extends readonly AbiValue[], T>(
  fragment: string,
  make: (values: Values) => T,
): ContractEvent<T> {
  const topic = topicOf(fragment)
  const { topics, words } = shapeOf(fragment)
  let abi: Interface | undefined
  return {
    topic,
    read(log) {
      if (log.topics[0] !== topic || log.topics.length !== topics || !hasWords(log.data, words)) return null
      try {
        abi ??= new Interface([fragment])
        return make(plainValues(abi.parseLog(log)?.args.toArray() ?? []) as unknown as Values)
      } catch {
        return null
      }
    },
  }
}
