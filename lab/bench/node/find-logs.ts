import type { Address, Hex } from '@dexfeed/dex'
import type { MadeBlock } from '../world/made-block.ts'
import { NodeError } from './node-error.ts'

export interface LogFilter {
  fromBlock?: Hex
  toBlock?: Hex
  blockHash?: Hex
  topics?: readonly (readonly Hex[])[]
  address?: readonly Address[]
}

const MOST_BLOCKS = 1_000
const MOST_LOGS = 10_000

/** The logs that a filter names, as pieces of a JSON list. Refuses like a provider what would be too much. */
export function findLogs(
  blocks: readonly MadeBlock[],
  byHash: ReadonlyMap<Hex, MadeBlock>,
  head: number,
  { fromBlock, toBlock, blockHash, topics, address }: LogFilter,
): (Buffer | string)[] {
  if (blockHash !== undefined) {
    const block = byHash.get(blockHash)
    if (block === undefined || block.number > head) throw new NodeError(-32000, 'unknown block')
    return piecesOf(block, topics?.[0], address).pieces
  }
  const [from, to] = [Number(fromBlock), Math.min(Number(toBlock), head)]
  if (to - from >= MOST_BLOCKS) throw new NodeError(-32000, `exceed maximum block range: ${MOST_BLOCKS}`)
  const pieces: (Buffer | string)[] = []
  let logs = 0
  for (let number = from; number <= to; number++) {
    const block = blocks[number]
    if (block === undefined) break
    const found = piecesOf(block, topics?.[0], address)
    if (found.count === 0) continue
    logs += found.count
    if (logs > MOST_LOGS) {
      const range = `[0x${from.toString(16)}, 0x${(number - 1).toString(16)}]`
      throw new NodeError(-32005, `query returned more than ${MOST_LOGS} results. Try with this block range ${range}.`)
    }
    if (pieces.length > 0) pieces.push(',')
    pieces.push(...found.pieces)
  }
  return pieces
}

function piecesOf(
  { logs, receipts, places }: MadeBlock,
  topics: readonly Hex[] | undefined,
  addresses: readonly Address[] | undefined,
): { pieces: (Buffer | string)[]; count: number } {
  const [wantedTopics, wantedAddresses] = [new Set(topics), new Set(addresses)]
  const matching = places.filter(
    ({ topic, address }) =>
      (topics === undefined || wantedTopics.has(topic)) &&
      (addresses === undefined || wantedAddresses.has(address.toLowerCase() as Address)),
  )
  if (logs !== null && matching.length === places.length) {
    return { pieces: places.length === 0 ? [] : [logs], count: places.length }
  }
  const text = logs ?? receipts ?? Buffer.alloc(0)
  const pieces = matching.flatMap(({ start, end }, i) => [...(i === 0 ? [] : [',']), text.subarray(start, end)])
  return { pieces, count: matching.length }
}
