import type { Hex } from '@dexfeed/dex'
import { type DraftLog, quantity } from '../../chain/abi.ts'

interface PortalTransaction {
  index: number
  hash: Hex
  from: Hex
  value: bigint
  type: number
  logs: readonly (DraftLog & { logIndex: number })[]
}

export type PortalLine = ReturnType<typeof portalLine>

/** Returns all logs of each transaction that has a requested log. */
export function portalLine(
  header: { number: number; hash: Hex; parentHash: Hex; timestamp: number },
  transactions: readonly PortalTransaction[],
  isRequested: (log: DraftLog) => boolean,
) {
  const shown = transactions.filter(({ logs }) => logs.some(isRequested))
  return {
    header,
    transactions: shown.map(({ index, hash, from, value, type }) => {
      return { transactionIndex: index, hash, from, value: quantity(value), type }
    }),
    logs: shown.flatMap(({ index, hash, logs }) =>
      logs.map(({ address, topics, data, logIndex }) => {
        return { address, topics, data, logIndex, transactionIndex: index, transactionHash: hash }
      }),
    ),
  }
}
