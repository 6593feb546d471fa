import { Interface } from 'ethers'
import { expect, test } from 'vitest'
import { madeBlock, madePool } from '../../../test/made-hop.ts'
import { topic } from '../../../test/made-log.ts'
import { type AnchorPrices, USD } from '../../anchor-prices.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import { priceTrade } from '../../usd/trade-value.ts'
import { decodersOf } from '../../venues/registry.ts'
import { TRANSFER } from '../receipt/receipt-flows.ts'
import { blockHops, toTrades } from '../to-trades.ts'
import { FLAG_UNCONFIRMED } from '../trade.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [WETH, USDC, USDT, FOO] = [address('11'), address('22'), address('33'), address('44')]
const [NG, PAIR, ENTRY_POINT] = [address('a1'), address('a2'), address('43')]
const [BUNDLER, WALLET] = [address('e1'), address('e2')]
const ng: Pool = madePool(NG, [USDC, USDT], {
  dex: { name: 'curve', kind: 'curve', factory: address('ff') },
  fee: 0,
  coins: [USDC, USDT],
})
const pair: Pool = madePool(PAIR, [USDC, FOO])
const curve = new Interface([
  'event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
])
const v2 = new Interface([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
])
const entryPoint = new Interface([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
])
const DECODERS = decodersOf(['curve', 'uniswap-v2'])
const units = (amount: number) => BigInt(amount) * 10n ** 6n
const each = { priceE18: USD, decimals: 6, depegged: false, isOld: false }
const prices: AnchorPrices = {
  stablecoins: new Map([USDC, USDT].map((token) => [token, each])),
  native: new Map(),
  others: new Map(),
}

type Made = Omit<Log, 'transactionIndex' | 'logIndex'>
const transfer = (token: Address, from: Address, to: Address, amount: bigint): Made => ({
  address: token,
  topics: [TRANSFER, topic(from), topic(to)],
  data: topic(amount),
})
const event = (abi: Interface, name: string, emitter: Address, values: readonly unknown[]): Made => ({
  address: emitter,
  ...(abi.encodeEventLog(name, values) as { topics: Hex[]; data: Hex }),
})
const exchange = (sold: 0 | 1, amount: bigint, bought: bigint) =>
  event(curve, 'TokenExchange', NG, [WALLET, sold, amount, 1 - sold, bought])

function trades(...made: Made[]) {
  const logs = made.map((log, logIndex): Log => ({ ...log, transactionIndex: 0, logIndex }))
  const block = madeBlock(logs, BUNDLER)
  const events = logs.flatMap((log) => DECODERS.get(log.topics[0] ?? '0x')?.(log) ?? [])
  const pools = new Map([ng, pair].map((pool) => [pool.address, pool]))
  const rules = {
    wrappedNative: WETH,
    trusted: new Set<Address>(),
    anchors: new Set<Address>(),
    settlements: [{ kind: 'erc4337', address: ENTRY_POINT } as const],
  }
  const rows = toTrades(blockHops(block, events, pools, rules), rules, new Map([['0xbeef', logs]]))
  return rows.map((row) => priceTrade(row, prices, true))
}

test('1,000 USDC that a caller calls one unit are a trade of 1,000 USD, flagged, and set no price', () => {
  const [row, ...others] = trades(
    transfer(USDC, BUNDLER, NG, units(1_000)),
    transfer(USDT, NG, BUNDLER, units(999)),
    exchange(0, 1n, units(999)),
  )
  expect(others).toEqual([])
  expect(row).toMatchObject({
    sell: { token: USDC, amount: units(1_000) },
    buy: { token: USDT, amount: units(999) },
    usdE8: 1_000n * 10n ** 8n,
    flags: FLAG_UNCONFIRMED,
    hopsFlags: [FLAG_UNCONFIRMED],
    hops: [{ amountIn: units(1_000), amountOut: units(999) }],
  })
})

// wallet -- FOO --> pair -- 2,000 USDC --> NG pool (reported: 1 unit) -- 1,999 USDT --> wallet
test('one swap of a contract’s wallet stays one row over a pool that repeats its caller’s amounts', () => {
  const rows = trades(
    transfer(FOO, WALLET, PAIR, 500n),
    transfer(USDC, PAIR, NG, units(2_000)),
    event(v2, 'Swap', PAIR, [WALLET, 0n, 500n, units(2_000), 0n, NG]),
    transfer(USDT, NG, WALLET, units(1_999)),
    exchange(0, 1n, units(1_999)),
    event(entryPoint, 'UserOperationEvent', ENTRY_POINT, [
      `0x${'01'.repeat(32)}`,
      WALLET,
      address('00'),
      0,
      true,
      0,
      0,
    ]),
  )
  expect(rows).toMatchObject([
    {
      sell: { token: FOO, amount: 500n },
      buy: { token: USDT, amount: units(1_999) },
      settledFor: WALLET,
      usdE8: 1_999n * 10n ** 8n,
      hopsFlags: [0, FLAG_UNCONFIRMED],
    },
  ])
})

test('a swap that its transfers confirm has no flag', () => {
  const rows = trades(
    transfer(USDT, BUNDLER, NG, units(10)),
    transfer(USDC, NG, BUNDLER, units(9)),
    exchange(1, units(10), units(9)),
  )
  expect(rows).toMatchObject([{ sell: { amount: units(10) }, buy: { amount: units(9) } }])
  expect(rows.map(({ flags }) => flags & FLAG_UNCONFIRMED)).toEqual([0])
})
