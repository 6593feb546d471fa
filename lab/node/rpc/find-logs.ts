import type { Address, Hex } from '@dexfeed/dex'
import type { LogPlace } from '../../chain/blocks/body.ts'
import { type LogFilter, NodeError } from './answer.ts'
import type { Piece } from './serve.ts'

interface BlockLogs {
  places: readonly LogPlace[]
  /** What occurs among them, so that most blocks are skipped quickly; absent: every log is compared. */
  topics?: ReadonlySet<Hex>
  addresses?: ReadonlySet<Address>
  /** The text that the places are of. */
  text(): Buffer
  /** All of them as one text with commas, if it is there. */
  whole?: Buffer | null
}

/** A chain whose logs are searched, with the limits of a provider. */
export interface LogSource {
  head: number
  /** Null: no such block. */
  numberOf(hash: Hex): number | null
  logsAt(number: number): BlockLogs
  /** Blocks and logs of one reply, at most. */
  rangeCap: number
  logCap: number
}

/** Returns the logs that a filter names as pieces of a JSON list. @throws NodeError as a provider refuses too much */
export function findLogs(source: LogSource, filter: LogFilter): Piece[] {
  const { rangeCap, logCap } = source
  const matches = matcherOf(filter)
  const [from, to] = rangeOf(source, filter)
  if (to - from >= rangeCap) throw new NodeError(-32000, `exceed maximum block range: ${rangeCap}`)
  const pieces: Piece[] = ['[']
  let count = 0
  for (let number = from; number <= to; number++) {
    const logs = source.logsAt(number)
    const found = matches(logs)
    if (found.length === 0) continue
    count += found.length
    if (count > logCap) {
      const range = `[0x${from.toString(16)}, 0x${Math.max(from, number - 1).toString(16)}]`
      throw new NodeError(-32005, `query returned more than ${logCap} results. Try with this block range ${range}.`)
    }
    if (pieces.length > 1) pieces.push(',')
    addPieces(pieces, logs, found)
  }
  pieces.push(']')
  return pieces
}

/** The range of a filter by hash is its block. */
function rangeOf(source: LogSource, { fromBlock, toBlock, blockHash }: LogFilter): [from: number, to: number] {
  if (blockHash === undefined) return [Number(fromBlock), Math.min(Number(toBlock), source.head)]
  const number = source.numberOf(blockHash)
  if (number === null) throw new NodeError(-32000, 'unknown block')
  return [number, number]
}

function matcherOf({ topics, address }: LogFilter): (logs: BlockLogs) => readonly LogPlace[] {
  const byTopic = setOf(topics?.[0])
  const byAddress = setOf(address)
  return ({ places, topics: occurring, addresses }) => {
    if (byTopic === null && byAddress === null) return places
    if (byTopic !== null && occurring !== undefined && ![...byTopic].some((topic) => occurring.has(topic))) return []
    if (byAddress !== null && addresses !== undefined && ![...byAddress].some((one) => addresses.has(one))) return []
    return places.filter(
      (log) =>
        (byTopic === null || byTopic.has(log.topic)) &&
        (byAddress === null || byAddress.has(log.address.toLowerCase() as Address)),
    )
  }
}

/** Null: any. */
function setOf<T extends string>(values: readonly T[] | T | null | undefined): ReadonlySet<T> | null {
  if (values === undefined || values === null || values.length === 0) return null
  return new Set((typeof values === 'string' ? [values] : values).map((one) => one.toLowerCase() as T))
}

function addPieces(pieces: Piece[], { places, text, whole }: BlockLogs, found: readonly LogPlace[]): void {
  if (whole !== undefined && whole !== null && found.length === places.length) {
    pieces.push(whole)
    return
  }
  const all = text()
  found.forEach(({ start, end }, i) => {
    if (i > 0) pieces.push(',')
    pieces.push(all.subarray(start, end))
  })
}
