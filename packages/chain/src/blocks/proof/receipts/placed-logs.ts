import { type RpcObject, readArray, readObject } from '../../../json-rpc/rpc-value.ts'

/**
 * Returns the logs of each of a block's first receipts, with the indices that they have in the block. The root covers
 * the order of receipts and logs, so what a node states does not count: some number the logs anew in each receipt.
 */
export function placedLogs(receipts: readonly RpcObject[]): RpcObject[][] {
  let logIndex = 0
  return receipts.map(({ logs }, index) => {
    const transactionIndex = quantity(index)
    return readArray(logs, 'receipt.logs').map((log) => {
      return { ...readObject(log, 'log'), transactionIndex, logIndex: quantity(logIndex++) }
    })
  })
}

function quantity(number: number): string {
  return `0x${number.toString(16)}`
}
