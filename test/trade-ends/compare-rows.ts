import {
  type Block,
  blockHops,
  decode,
  decodersOf,
  FLAG_AMOUNTS_DIFFER,
  FLAG_UNCONFIRMED,
  priceTrade,
  ReferenceBook,
  referenceBlocks,
  toTrades,
  tradeRules,
} from '@dexfeed/dex'
import { madeBlock } from '@dexfeed/dex/test/made-hop'
import type { RecordedBlock } from '../expected/chain-record.ts'
import type { VerifiedPool } from '../expected/pool-events.ts'
import type { CurvePool, Pools } from '../expected/trades/receipt/hops.ts'
import { tradesOf } from '../expected/trades/trades.ts'
import { addressOf, MADE_DEPLOYMENT, MADE_POOLS } from './made-world.ts'
import type { ReceiptWriter } from './receipt-writer.ts'
import type { Row } from './row-text.ts'

const rules = tradeRules(MADE_DEPLOYMENT)
const decoders = decodersOf(['uniswap-v2', 'uniswap-v3', 'uniswap-v4', 'curve'])
const CONFIG = { ...MADE_DEPLOYMENT, ...referenceBlocks('eth'), decimals: new Map() }
const NO_PRICES = new ReferenceBook(CONFIG, []).pricesAt({ number: 7, timestamp: 1_000 })

export function rowsOf({ logs, value, logsCoins }: ReceiptWriter): Row[] {
  const logsEther = logsCoins === 'all' && ({ logsEther: true } as const)
  const block: Block = { ...madeBlock(logs, addressOf('trader'), { value }), ...logsEther }
  const events = decode(block, decoders).events.filter(({ pool }) => MADE_POOLS.has(pool))
  const hops = blockHops(block, events, MADE_POOLS, rules)
  return toTrades(hops, rules, new Map([['0xbeef', logs]])).map(({ routes, ...trade }) => {
    const { sell, buy, byToken: isOwn } = trade
    const { flags } = priceTrade({ ...trade, ...(routes && { routes }) }, NO_PRICES, true)
    return {
      ...trade,
      isOwn,
      through: trade.throughPools ?? { sell, buy },
      differs: (flags & FLAG_AMOUNTS_DIFFER) !== 0,
      isUnconfirmed: (flags & FLAG_UNCONFIRMED) !== 0,
      ...(routes && {
        routes: routes.map((route) => ({ ends: route, hops: route.hops, isPassedOn: route.isPassedOn })),
      }),
    }
  })
}

const verified: Pools = new Map(
  [...MADE_POOLS].map(([address, { token0, token1, fee, coins }]): [string, VerifiedPool | CurvePool] => {
    if (coins !== undefined) return [address, { address, kind: 'curve', coins }]
    return [address, { address, kind: 'uniswap-v2', dex: 'v2', token0, token1, fee }]
  }),
)

export function expectedRowsOf({ logs, value, logsCoins }: ReceiptWriter): Row[] {
  const recorded = logs.map(({ address, topics, data, logIndex }) => {
    return { address, topics: [...topics], data, index: logIndex }
  })
  const transaction = { hash: '0xbeef', index: 0, from: addressOf('trader'), value, logs: recorded }
  const block: RecordedBlock = {
    number: 7,
    timestamp: 1_000,
    transactions: [transaction],
    logsEther: logsCoins === 'all',
  }
  return tradesOf(block, verified, MADE_DEPLOYMENT).map(({ routes, ...trade }) => ({
    ...trade,
    ...(routes && {
      routes: routes.map((route) => ({ ends: route.through, hops: route.hops, isPassedOn: route.isPassedOn })),
    }),
  }))
}
