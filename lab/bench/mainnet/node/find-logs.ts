import type { Address, Hex } from '@dexfeed/dex'
import { NodeError } from '../../node/node-error.ts'
import type { BlockBody, LogPlace } from '../made/encode/body.ts'
import type { MadeNetwork } from '../made/made-network.ts'

export interface LogFilter {
  fromBlock?: string
  toBlock?: string
  blockHash?: Hex
  topics?: readonly (readonly Hex[] | Hex | null)[]
  address?: readonly Address[] | Address
}

const COMMA = Buffer.from(',')

/** The logs that a filter names, as pieces of JSON with commas between. @throws NodeError as a provider refuses too much */
export function findLogs(network: MadeNetwork, filter: LogFilter): Buffer[] {
  const { logCap, rangeCap } = network.plan.shape
  const matches = matcherOf(filter)
  const [from, to] = rangeOf(network, filter)
  if (to - from >= rangeCap) throw new NodeError(-32000, `exceed maximum block range: ${rangeCap}`)
  const pieces: Buffer[] = []
  let count = 0
  for (let number = from; number <= to; number++) {
    const found = matches(network.bodyAt(number))
    if (found.length === 0) continue
    count += found.length
    if (count > logCap) {
      const range = `[0x${from.toString(16)}, 0x${Math.max(from, number - 1).toString(16)}]`
      throw new NodeError(-32005, `query returned more than ${logCap} results. Try with this block range ${range}.`)
    }
    if (pieces.length > 0) pieces.push(COMMA)
    pieces.push(...listed(network, number, found))
  }
  return pieces
}

/** The range of a filter by hash is its block. */
function rangeOf(network: MadeNetwork, { fromBlock, toBlock, blockHash }: LogFilter): [from: number, to: number] {
  if (blockHash === undefined) return [Number(fromBlock), Math.min(Number(toBlock), network.head)]
  const number = network.numberOf(blockHash)
  if (number === null) throw new NodeError(-32000, 'unknown block')
  return [number, number]
}

function matcherOf({ topics, address }: LogFilter): (body: BlockBody) => LogPlace[] {
  const wantedTopics = setOf(topics?.[0])
  const wantedAddresses = setOf(address)
  return ({ logs, topics: ownTopics, addresses }) => {
    if (wantedTopics !== null && !wantedTopics.some((topic) => ownTopics.has(topic))) return []
    if (wantedAddresses !== null && !wantedAddresses.some((one) => addresses.has(one))) return []
    return logs.filter(
      (log) =>
        (wantedTopics === null || wantedTopics.includes(log.topic)) &&
        (wantedAddresses === null || wantedAddresses.includes(log.address)),
    )
  }
}

/** Null: any. */
function setOf<T extends string>(wanted: readonly T[] | T | null | undefined): T[] | null {
  if (wanted === undefined || wanted === null || wanted.length === 0) return null
  return (typeof wanted === 'string' ? [wanted] : wanted).map((one) => one.toLowerCase() as T)
}

function listed(network: MadeNetwork, number: number, found: readonly LogPlace[]): Buffer[] {
  const header = network.headerAt(number)
  if (header === null) return []
  const text = header.body.receipts.fill(network.placeIn(header))
  return found.flatMap(({ start, end }, i) => [...(i === 0 ? [] : [COMMA]), text.subarray(start, end)])
}
