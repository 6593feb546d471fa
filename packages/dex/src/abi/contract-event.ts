import { Interface } from 'ethers'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import { type AbiValue, plainValues } from './contract-call.ts'
import { shapeOf, topicOf } from './fragment.ts'
import { hasWords } from './words.ts'

/** An event that is read now and then; those of pools are read by slicing. */
export interface ContractEvent<Values extends readonly AbiValue[]> {
  topic: Hex
  /** The arguments in their order; null when the log is not of the event's shape. */
  read(log: Log): Values | null
}

/**
 * An event of a contract by its human-readable ABI, read by ethers.
 *
 * @typeParam Values what the fragment says that it holds
 */
export function contractEvent<Values extends readonly AbiValue[]>(fragment: string): ContractEvent<Values> {
  const topic = topicOf(fragment)
  const { topics, words } = shapeOf(fragment)
  let abi: Interface | undefined
  return {
    topic,
    read(log) {
      if (log.topics[0] !== topic || log.topics.length !== topics || !hasWords(log.data, words)) return null
      try {
        abi ??= new Interface([fragment])
        const parsed = abi.parseLog(log)
        return parsed && (plainValues(parsed.args.toArray()) as unknown as Values)
      } catch {
        return null
      }
    },
  }
}
