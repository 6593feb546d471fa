import { id } from 'ethers'
import { type AnchorPrices, USD } from '../../src/anchor-prices.ts'
import type { Address, Hex, Log } from '../../src/chain.ts'
import type { Pool } from '../../src/pool.ts'
import { SYSTEM_ADDRESS } from '../../src/trades/receipt/receipt-flows.ts'
import { blockHops, toTrades } from '../../src/trades/to-trades.ts'
import type { PricedTrade } from '../../src/trades/trade.ts'
import { comparedEnds } from '../../src/usd/compared-ends.ts'
import { priceTrade } from '../../src/usd/trade-value.ts'
import { at, madeBlock } from '../made-hop.ts'
import { topic, word } from '../made-log.ts'

export const [WETH, USDC, TOK] = [at('e1'), at('c'), at('f00')]
export const [ME, YOU, THEM, BUNDLER, SETTLEMENT] = [at('a1'), at('a2'), at('a3'), at('b0'), at('c0')]
const [ENTRY_POINT, REACTOR, LIMIT_ORDERS, LIMIT_ORDERS_V6] = [at('4337'), at('ac'), at('15'), at('16')]
export const AUGUSTUS = at('a6')
/** The contract that sells users' coins. */
export const FLOW = at('f1')
export const COIN: Address = `0x${'ee'.repeat(20)}`
const poolOf = (address: Address, token0: Address, token1: Address): [Address, Pool] => [
  address,
  { address, token0, token1, fee: 3000, tickSpacing: null, dex: { name: 'v2', kind: 'uniswap-v2', factory: at('f') } },
]
export const [DEEP, OTHER, SIDE, TWIN] = [at('d1'), at('d2'), at('d3'), at('d4')]
/** Tokens that anybody can make, and pools that their maker made for them. */
export const [JUNK, FALSE] = [at('bad1'), at('bad2')]
export const [JUNK_POOL, FALSE_POOL] = [at('d5'), at('d6')]
/** A pool of USDC and TOK, and a pool of two tokens without a price. */
export const [DIRECT, BLIND] = [at('d7'), at('d8')]
const pools = new Map([
  poolOf(DIRECT, USDC, TOK),
  poolOf(BLIND, TOK, at('b11d')),
  poolOf(DEEP, USDC, WETH),
  poolOf(OTHER, USDC, WETH),
  poolOf(SIDE, TOK, WETH),
  poolOf(TWIN, TOK, WETH),
  poolOf(JUNK_POOL, JUNK, WETH),
  poolOf(FALSE_POOL, FALSE, WETH),
])
const settlements = [
  { kind: 'cow', address: SETTLEMENT },
  { kind: 'erc4337', address: ENTRY_POINT },
  { kind: 'uniswapx', address: REACTOR },
  { kind: 'cow-eth-flow', address: FLOW },
  { kind: '1inch-v5', address: LIMIT_ORDERS },
  { kind: '1inch-v6', address: LIMIT_ORDERS_V6 },
  { kind: 'paraswap-v5', address: AUGUSTUS },
] as const
/** Listed, but without a price of its own. */
export const LISTED = at('115')
/** Worth as much as the coin. */
export const GOLD = at('601d')
const trusted = new Set<Address>([WETH, USDC, LISTED, GOLD])
const rules = { wrappedNative: WETH, trusted, anchors: new Set([WETH, USDC]), settlements }
export const [UNIT, CENT] = [10n ** 6n, 10n ** 16n]
/** FALSE has no decimals, so that a number of base units looks like as many whole tokens. */
const decimalsOf = (token: Address) => (token === USDC ? 6 : token === FALSE ? 0 : 18)
const prices: AnchorPrices = {
  stablecoins: new Map([[USDC, { priceE18: USD, decimals: 6, depegged: false, isOld: false }]]),
  native: new Map([[WETH, { priceE18: 2_000n * USD, decimals: 18, depegged: false, isOld: false }]]),
  others: new Map([[GOLD, { priceE18: 2_000n * USD, decimals: 18, depegged: false, isOld: false }]]),
}

export const logOf = (
  address: Address,
  signature: string,
  topics: (Address | bigint)[],
  data: (Address | bigint)[],
): Log => ({
  address,
  topics: [id(signature) as Hex, ...topics.map(topic)],
  data: `0x${data.map(word).join('')}`,
  transactionIndex: 3,
  logIndex: 0,
})
export const moved = (token: Address, from: Address, to: Address, amount: bigint) =>
  logOf(token, 'Transfer(address,address,uint256)', [from, to], [amount])
/** A logged transfer of coins. Wherever a receipt has one, its block logs all of them. */
export const coins = (from: Address, to: Address, amount: bigint) => moved(SYSTEM_ADDRESS, from, to, amount)
export const begun = logOf(ENTRY_POINT, 'BeforeExecution()', [], [])
export const operation = (account: Address, success = 1n) =>
  logOf(
    ENTRY_POINT,
    'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
    [9n, account, BUNDLER],
    [0n, success, 5n, 6n],
  )
const TRADE = 'Trade(address,address,address,uint256,uint256,uint256,bytes)'
/** An order of a batch. Without amounts, its event gets those that its account gives and receives in the receipt. */
export const order = (account: Address, sold: Address, bought: Address, [sell, buy] = [0n, 0n]) =>
  logOf(SETTLEMENT, TRADE, [account], [sold, bought, sell, buy, 0n, 0xe0n, 0n])
export const filled = (account: Address) =>
  logOf(REACTOR, 'Fill(bytes32,address,address,uint256)', [1n, BUNDLER, account], [2n])
/** A filled limit order of 1inch. V6's event names no maker. */
export const limitOrder = (maker: Address) =>
  logOf(LIMIT_ORDERS, 'OrderFilled(address,bytes32,uint256)', [maker], [1n, 0n])
export const limitOrderOfV6 = logOf(LIMIT_ORDERS_V6, 'OrderFilled(bytes32,uint256)', [], [1n, 0n])
/** A filled request of 1inch V5 names nobody. */
export const requestFilled = logOf(LIMIT_ORDERS, 'OrderFilledRFQ(bytes32,uint256)', [], [1n, 5n])
/** A swap: what the pool receives of its first and of its second token. */
export const swap = (pool: Address, amount0: bigint, amount1: bigint) => ({ pool, amount0, amount1 })
type Step = Log | ReturnType<typeof swap>
export type Steps = Step[]

/** Adds the amounts of the transfers to an order whose event has none. */
function withAmounts(log: Log, steps: readonly Step[]): Log {
  const { topics, data } = log
  if (topics[0] !== id(TRADE) || BigInt(`0x${data.slice(2 + 2 * 64, 2 + 4 * 64)}`) > 0n) return log
  const addressIn = (place: number): Address => `0x${data.slice(2 + place * 64 + 24, 2 + (place + 1) * 64)}`
  const account = topics[1]
  const sum = (token: Address, party: 1 | 2) =>
    steps.reduce((total, step) => {
      const isMove = 'topics' in step && step.topics.length === 3 && step.topics[party] === account
      return isMove && step.address === token ? total + BigInt(step.data) : total
    }, 0n)
  const bought = addressIn(1)
  const amounts = [sum(addressIn(0), 1), sum(bought === COIN ? SYSTEM_ADDRESS : bought, 2)]
  return { ...log, data: `0x${data.slice(2, 2 + 2 * 64)}${amounts.map(word).join('')}${data.slice(2 + 4 * 64)}` }
}

/** Returns the trades of a transaction with these logs and swaps, in this order. */
export function rowsOf(...steps: Step[]): PricedTrade[] {
  return rowsWith(0n, ...steps)
}

/** Like `rowsOf`, but the signer also sends coins. */
export function rowsWith(value: bigint, ...steps: Step[]): PricedTrade[] {
  const place = (logIndex: number) => ({ transactionIndex: 3, logIndex })
  const logs = steps.map((step, index) =>
    'pool' in step
      ? { ...logOf(step.pool, 'Swap()', [], []), ...place(index) }
      : { ...withAmounts(step, steps), ...place(index) },
  )
  const events = steps.flatMap((step, index) =>
    'pool' in step ? [{ ...step, ...place(index), type: 'swap', family: 'pair', state: null } as const] : [],
  )
  const block = madeBlock(logs, BUNDLER, { index: 3, value })
  const logsEther = logs.some(({ address }) => address === SYSTEM_ADDRESS) && ({ logsEther: true } as const)
  const hops = blockHops({ ...block, ...logsEther }, events, pools, rules)
  return toTrades(hops, rules, new Map([['0xbeef', logs]])).flatMap((made) => {
    const trade = comparedEnds(made, prices, decimalsOf)
    return trade === null ? [] : [priceTrade(trade, prices, true)]
  })
}

export const amounts = ({ sell, buy, settledFor, usdE8, hops }: PricedTrade) => [
  ...[settledFor, sell.token, sell.amount, buy.token, buy.amount],
  ...[usdE8 === null ? null : Number(usdE8) / 1e8, hops.map(({ logIndex }) => logIndex)],
]

/** An account pays a pool, and the pool pays the account. */
export const traded = (
  account: Address,
  pool: Address,
  [paid, sold]: [Address, bigint],
  [got, bought]: [Address, bigint],
) => {
  const [token0] = [pools.get(pool)?.token0]
  return [
    moved(paid, account, pool, sold),
    moved(got, pool, account, bought),
    paid === token0 ? swap(pool, sold, -bought) : swap(pool, -bought, sold),
  ]
}
