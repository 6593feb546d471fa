import type { Address, ReceiptFlows, TokenTransfer } from '@dexfeed/dex'
import { Ledger } from '../../src/trades/receipt/ledger.ts'
import type { Wrapping } from '../../src/trades/receipt/receipt-flows.ts'
import type { ReportedOrder } from '../../src/trades/receipt/settlements.ts'
import { type TradeEnds, tradeEnds } from '../../src/trades/receipt/trade-ends.ts'
import type { PoolTrade } from '../../src/trades/trade.ts'
import { at } from '../made-hop.ts'

export const WETH = at('e1')
export const TRADER = at('ee')
/** The pools of the hops at logs 5 and 9. */
export const [POOL, SECOND] = [at('b5'), at('b9')]

/** A receipt in short form: accounts or tokens, amounts, and the log index where it matters. */
export interface ShortReceipt {
  moved?: readonly (readonly [Address, Address, Address, bigint, number?])[]
  deposits?: readonly (readonly [Address, bigint])[]
  withdrawals?: readonly (readonly [Address, bigint, number?])[]
  items?: readonly (readonly [Address, Address])[]
  changesLiquidity?: boolean
  withdrawsLiquidity?: true
  /** Every coin transfer, if the block logs them. */
  coins?: readonly (readonly [Address, Address, bigint])[]
  value?: bigint
  from?: Address | null
  principals?: readonly Address[]
  named?: { sold: Address; bought: Address }
  /** Orders whose amounts settlements' events report. */
  orders?: readonly ReportedOrder[]
  /** Defaults to every token that moved, and the wrapper. */
  listed?: readonly Address[]
}

const OF_EVENT = { account: at('05e1'), hasOrder: true, logIndex: 0 }

/** Returns the ends of trades, based on the receipt of their transaction. */
export function endsOf(trades: readonly PoolTrade[], receipt: ShortReceipt): TradeEnds[] {
  const { moved = [], deposits = [], withdrawals = [], items = [], changesLiquidity = false, coins } = receipt
  const wrapping = ([account, amount, logIndex = 90]: readonly [Address, bigint, number?]): Wrapping => {
    return { account, amount, logIndex }
  }
  const flows: ReceiptFlows = {
    transfers: moved.map(([token, from, to, amount, logIndex = 1]): TokenTransfer => {
      return { token, from, to, amount, logIndex }
    }),
    deposits: deposits.map(wrapping),
    withdrawals: withdrawals.map(wrapping),
    items: items.map(([from, to]) => ({ contract: at('17e3'), item: 'one', from, to, amount: 1n })),
    changesLiquidity,
    ...(receipt.withdrawsLiquidity && { withdrawsLiquidity: true }),
    ...(coins && { coins: coins.map(([from, to, amount]) => ({ from, to, amount, logIndex: 0 })) }),
  }
  const { from = TRADER, value = 0n, principals = [] } = receipt
  const transaction = { hash: '0xbeef', from, value } as const
  const { named, listed = [WETH, ...moved.map(([token]) => token)] } = receipt
  const ledger = new Ledger(flows, WETH)
  return tradeEnds(trades, {
    transaction,
    ledger,
    withIncome: ledger,
    principals,
    venues: new Set([POOL, SECOND]),
    listed: new Set(listed),
    named: named === undefined ? [] : [{ ...OF_EVENT, sold: new Set([named.sold]), bought: new Set([named.bought]) }],
    orders: receipt.orders ?? [],
  })
}

/** Like `endsOf`, for a single row. */
export function onlyEnds(trades: readonly PoolTrade[], receipt: ShortReceipt): TradeEnds {
  const [first, ...others] = endsOf(trades, receipt)
  if (first === undefined || others.length > 0) throw new Error(`${others.length} rows beside ${String(first)}`)
  return first
}
