import { OF_TOKENS, RANGE_BURN, RANGE_MINT } from './chain/run-intent.ts'
import type { RpcLog } from './show-block.ts'

/** Whether a log is one of those that are asked for by their topics. */
export function isOfPools({ topics: [topic = '0x'] }: RpcLog): boolean {
  return !OF_TOKENS.has(topic)
}

/** `Mint` or `Burn`. */
export function isLiquidity({ topics: [topic] }: RpcLog): boolean {
  return topic === RANGE_MINT || topic === RANGE_BURN
}

/** The logs of some blocks without the last one of those that have several. */
export function withoutLast(logs: readonly RpcLog[]): RpcLog[] {
  return logs.filter(({ blockNumber }, i) => {
    const [before, after] = [logs[i - 1], logs[i + 1]]
    return before?.blockNumber !== blockNumber || after?.blockNumber === blockNumber
  })
}
