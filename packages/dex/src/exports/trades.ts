export { receiptTrades } from '../rpc-receipt/receipt-trades.ts'
export type { ReceiptContext, RpcReceipt } from '../rpc-receipt/rpc-receipt.ts'
export { type BlockHops, blockHops, type TradeRules, toTrades, tradeRules } from '../trades/to-trades.ts'
export type { Hop, Leg, PoolRoute, Trade } from '../trades/trade.ts'
