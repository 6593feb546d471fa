import { expect, test } from 'vitest'
import { type RecordedReceipt, readReceipts } from './recorded-receipts.ts'

interface Sale extends RecordedReceipt {
  /** Coins that the wallet received, in wei. */
  got: string
}

const { transactions, tradesOf } = readReceipts<Sale>('ether-moves/withdrawn')

test.each(transactions.map((sale) => [sale.hash, sale] as const))(
  'what %s withdrew is what its trader got',
  (_, sale) => {
    const [trade, ...others] = tradesOf(sale)
    expect(others).toEqual([])
    expect(trade?.buy).toMatchObject({ native: true, amount: BigInt(sale.got) })
    expect(trade?.throughPools?.buy.amount).not.toBe(trade?.buy.amount)
    expect(trade?.isPartial).toBe(false)
  },
)
