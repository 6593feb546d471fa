import { type StoredTrade, TRADE_COLUMNS } from '@dexfeed/store'

export interface TradeDifference {
  kind: 'missing' | 'extra' | 'changed'
  blockNumber: number
  transactionIndex: number
  position: number
  txHash: string
  columns: { name: string; stored: string | null; chain: string | null }[]
}

const TX_HASH = TRADE_COLUMNS.indexOf('tx_hash')

export function compareTrades(stored: readonly StoredTrade[], chain: readonly StoredTrade[]): TradeDifference[] {
  const differences: TradeDifference[] = []
  let i = 0
  let j = 0
  for (;;) {
    const row = stored[i]
    const trade = chain[j]
    if (row === undefined && trade === undefined) return differences
    const order = row === undefined ? 1 : trade === undefined ? -1 : comparePlaces(row, trade)
    if (order <= 0) i++
    if (order >= 0) j++
    if (row !== undefined && order < 0) differences.push(describe('extra', row, []))
    else if (trade !== undefined && order > 0) differences.push(describe('missing', trade, []))
    else if (row !== undefined && trade !== undefined) {
      const columns = compareColumns(row, trade)
      if (columns.length > 0) differences.push(describe('changed', trade, columns))
    }
  }
}

function compareColumns({ values: stored }: StoredTrade, { values: chain }: StoredTrade): TradeDifference['columns'] {
  return TRADE_COLUMNS.flatMap((name, index) => {
    const ours = stored[index] ?? null
    const theirs = chain[index] ?? null
    return ours === theirs ? [] : [{ name, stored: ours, chain: theirs }]
  })
}

function comparePlaces(a: StoredTrade, b: StoredTrade): number {
  return a.blockNumber - b.blockNumber || a.transactionIndex - b.transactionIndex || a.position - b.position
}

function describe(
  kind: TradeDifference['kind'],
  { blockNumber, transactionIndex, position, values }: StoredTrade,
  columns: TradeDifference['columns'],
): TradeDifference {
  return { kind, blockNumber, transactionIndex, position, txHash: values[TX_HASH] ?? '', columns }
}
