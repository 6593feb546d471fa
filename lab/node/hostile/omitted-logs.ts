import { TOPICS } from '../../chain/abi.ts'
import type { RpcLog } from './show-block.ts'

/** Events of tokens and the wrapper. */
const TOKEN_EVENTS: ReadonlySet<string> = new Set([TOPICS.transfer, TOPICS.deposit, TOPICS.withdrawal])

/** Whether a log is one of those that the indexer requests by topic. */
export function isPoolLog({ topics: [topic = '0x'] }: RpcLog): boolean {
  return !TOKEN_EVENTS.has(topic)
}

/** `Mint` or `Burn`. */
export function isLiquidity({ topics: [topic] }: RpcLog): boolean {
  return topic === TOPICS.mintV3 || topic === TOPICS.burnV3
}

/** Returns the logs of blocks, without the last log of each block that has several. */
export function withoutLast(logs: readonly RpcLog[]): RpcLog[] {
  return logs.filter(({ blockNumber }, i) => {
    const [before, after] = [logs[i - 1], logs[i + 1]]
    return before?.blockNumber !== blockNumber || after?.blockNumber === blockNumber
  })
}
