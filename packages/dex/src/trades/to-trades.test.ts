import { expect, test } from 'vitest'
import { madeBlock, madePool } from '../../test/made-hop.ts'
import { topic } from '../../test/made-log.ts'
import { topicOf } from '../abi/contract-abi.ts'
import type { Address, Block, Hex, Log } from '../chain.ts'
import type { PoolEvent } from '../pool-event.ts'
import { DEPOSIT, TRANSFER, WITHDRAWAL } from './receipt/receipt-flows.ts'
import { blockHops, toTrades, tradingTransactions } from './to-trades.ts'

const WETH: Address = `0x${'11'.repeat(20)}`
const FOO: Address = `0x${'22'.repeat(20)}`
const POOL: Address = `0x${'aa'.repeat(20)}`
const TRADER: Address = `0x${'ee'.repeat(20)}`
const [ROUTER, OTHER]: readonly [Address, Address] = [`0x${'77'.repeat(20)}`, `0x${'0e'.repeat(20)}`]
const SYSTEM: Address = `0x${'f'.repeat(39)}e`
const pool = madePool(POOL, [WETH, FOO])
const pools = new Map([[POOL, pool]])

const wrapperLog = (event: Hex, amount: bigint, address: Address = WETH): Log => ({
  address,
  topics: [event, `0x${'00'.repeat(32)}`],
  data: topic(amount),
  transactionIndex: 3,
  logIndex: 0,
})
const transfer = (logIndex: number, [from, to]: readonly [Address, Address], amount: bigint, token = FOO): Log => ({
  address: token,
  topics: [TRANSFER, topic(from), topic(to)],
  data: topic(amount),
  transactionIndex: 3,
  logIndex,
})
/** A transfer of the wrapped coin out of the pool, which shows that the pool paid no coins. */
const paidOut = transfer(4, [POOL, `0x${'00'.repeat(20)}`], 100n, WETH)
const block = (value: bigint, ...logs: Log[]) => madeBlock(logs, TRADER, { index: 3, value })
const swap = (amount0: bigint, amount1: bigint, logIndex = 5): PoolEvent => ({
  type: 'swap',
  family: 'pair',
  pool: POOL,
  transactionIndex: 3,
  logIndex,
  amount0,
  amount1,
  state: null,
})
const rules = { wrappedNative: WETH, trusted: new Set([WETH]), anchors: new Set([WETH]), settlements: [] }
const NOTHING = new Map<Hex, Log[]>([['0xbeef', []]])
const tradesOf = (of: Block, events: PoolEvent[]) =>
  toTrades(blockHops(of, events, pools, rules), rules, new Map([['0xbeef' as Hex, of.logs]]))
const legs = (of: Block, ...events: PoolEvent[]) => {
  const [trade] = tradesOf(of, events)
  return trade && { sell: trade.sell, buy: trade.buy }
}

//   WETH --+-- POOL --> FOO -- second --> BAR      two tokens bought: a row per hop
//          '-- third --> BAZ
test('the first trade of a transaction has the tokens that went from pool to pool', () => {
  const [second, third]: [Address, Address] = [`0x${'ab'.repeat(20)}`, `0x${'ac'.repeat(20)}`]
  const [BAR, BAZ]: [Address, Address] = [`0x${'33'.repeat(20)}`, `0x${'44'.repeat(20)}`]
  const all = new Map([
    ...pools,
    [second, { ...pool, address: second, token0: BAR, token1: FOO }],
    [third, { ...pool, address: third, token1: BAZ }],
  ])
  const events = [swap(10n, -20n), { ...swap(-9n, 20n, 6), pool: second }, { ...swap(5n, -8n, 7), pool: third }]
  const moves = (trusted: Address[]) =>
    toTrades(blockHops(block(0n), events, all, rules), { ...rules, trusted: new Set(trusted) }, NOTHING).map(
      (trade) => trade.moves,
    )
  expect(moves([WETH])).toEqual([[{ token: FOO, isWhole: true }], undefined, undefined])
  expect(moves([WETH, FOO])).toEqual([undefined, undefined, undefined])
})

test('a trade carries its block, transaction and signer', () => {
  const [trade] = tradesOf(block(0n), [swap(10n, -20n)])
  expect(trade).toMatchObject({
    blockNumber: 7,
    timestamp: 1_000,
    transactionIndex: 3,
    position: 0,
    txHash: '0xbeef',
    trader: TRADER,
    sell: { token: WETH, amount: 10n, native: false },
    buy: { token: FOO, amount: 20n, native: false },
  })
})

test.each([
  ['coins sent along and wrapped in full', block(10n, wrapperLog(DEPOSIT, 10n)), true],
  ['coins sent along but wrapped only in part', block(10n, wrapperLog(DEPOSIT, 9n)), false],
  ['a deposit without coins sent along', block(0n, wrapperLog(DEPOSIT, 10n)), false],
  ['another contract that says Deposit', block(10n, wrapperLog(DEPOSIT, 10n, FOO)), false],
])('with %s the sold leg is native: %s', (_, of, native) => {
  expect(legs(of, swap(10n, -20n))?.sell.native).toBe(native)
})

test.each([
  ['unwraps all of it', 100n, true],
  ['unwraps 90 %, the rest a fee', 90n, true],
  ['unwraps less', 89n, false],
])('a transaction that buys the wrapped coin and %s', (_, withdrawn, native) => {
  expect(legs(block(0n, paidOut, wrapperLog(WITHDRAWAL, withdrawn)), swap(-100n, 20n))?.buy).toEqual({
    token: WETH,
    amount: 100n,
    native,
  })
})

test('the reserves before a swap are those of the Sync before it less what it moved', () => {
  const sync: PoolEvent = {
    type: 'reserves',
    family: 'pair',
    pool: POOL,
    transactionIndex: 3,
    logIndex: 4,
    reserve0: 110n,
    reserve1: 180n,
  }
  const [trade] = tradesOf(block(0n), [sync, swap(10n, -20n)])
  expect(trade?.hops[0]?.reservesBefore).toEqual([100n, 200n])
})

test.each([
  ['a flash swap repaid in its own token', 5n, 0n, 'nothing-bought'],
  ['both amounts paid in', 5n, 5n, 'nothing-bought'],
  ['both amounts paid out', -5n, -5n, 'nothing-sold'],
  ['nothing at all', 0n, 0n, 'nothing-sold'],
])('%s is not a trade', (_, amount0, amount1, reason) => {
  const hops = blockHops(block(0n), [swap(amount0, amount1)], pools, rules)
  expect(toTrades(hops, rules, new Map())).toEqual([])
  expect(hops.transactions.flatMap(({ dropped }) => dropped.map((droppedSwap) => droppedSwap.reason))).toEqual([reason])
})

test('an event of an unverified pool is not a trade', () => {
  expect(blockHops(block(0n), [swap(1n, -1n)], new Map(), rules).transactions).toEqual([])
})

/*
 *  log  1            2       3           4               5           6       7
 *     FOO -> pool   swap   unwrapped   trader -> pool   ...pays    swap    nothing unwrapped: the trader keeps WETH
 */
test('what a taxed token sells within a trader’s sale is a separate trade after it, with its own coins', () => {
  const of = block(
    0n,
    transfer(1, [FOO, POOL], 100n),
    { ...wrapperLog(WITHDRAWAL, 10n), topics: [WITHDRAWAL, topic(ROUTER)], logIndex: 3 },
    transfer(4, [TRADER, POOL], 1_000n),
    transfer(5, [POOL, TRADER], 90n, WETH),
  )
  const events = [
    { ...swap(-10n, 100n, 2), recipient: ROUTER },
    { ...swap(-90n, 950n, 6), recipient: TRADER },
  ] as PoolEvent[]
  expect(tradesOf(of, events)).toMatchObject([
    {
      position: 0,
      byToken: false,
      sell: { token: FOO, amount: 1_000n },
      buy: { token: WETH, amount: 90n, native: false },
      throughPools: { sell: { token: FOO, amount: 950n }, buy: { token: WETH, amount: 90n } },
    },
    { position: 1, byToken: true, sell: { token: FOO, amount: 100n }, buy: { token: WETH, amount: 10n, native: true } },
  ])
})

test('only the receipts of transactions with hops are required', () => {
  const hops = blockHops(block(0n), [swap(10n, -20n)], pools, rules)
  expect(tradingTransactions(hops)).toEqual([{ hash: '0xbeef', transactionIndex: 3 }])
  expect(() => toTrades(hops, rules, new Map())).toThrow('receipt')
  expect(tradingTransactions(blockHops(block(0n), [swap(5n, 0n)], pools, rules))).toEqual([])
})

/** A block where FOO is sold to the pool for the wrapped coin, which a router unwraps; it may log coin transfers. */
const soldForCoins = (...more: Log[]) =>
  block(
    0n,
    transfer(1, [TRADER, POOL], 20n),
    transfer(2, [POOL, ROUTER], 100n, WETH),
    { ...wrapperLog(WITHDRAWAL, 100n), topics: [WITHDRAWAL, topic(ROUTER)], logIndex: 6 },
    ...more,
  )
const coinsOf = (from: Address, to: Address, amount: bigint) => transfer(7, [from, to], amount, SYSTEM)

test('moves of coins are the ends of a block that logs them', () => {
  const of = soldForCoins(coinsOf(WETH, ROUTER, 100n), coinsOf(ROUTER, TRADER, 97n))
  expect(tradesOf({ ...of, logsEther: true }, [swap(-100n, 20n)])).toMatchObject([
    { sell: { token: FOO, amount: 20n }, buy: { token: WETH, amount: 97n, native: true }, isPartial: false },
  ])
})

test('logs of the system address are nothing where a block logs no moves of coins', () => {
  const plain = tradesOf(soldForCoins(), [swap(-100n, 20n)])
  expect(plain).toMatchObject([{ buy: { token: WETH, amount: 100n, native: true } }])
  const item = { ...coinsOf(OTHER, TRADER, 7n), topics: [TRANSFER, topic(OTHER), topic(TRADER), topic(OTHER)] }
  expect(tradesOf(soldForCoins(coinsOf(ROUTER, TRADER, 97n), item), [swap(-100n, 20n)])).toEqual(plain)
})

test('coins paid to an ERC-4337 entry point are not part of a trade', () => {
  const entryPoint: Address = `0x${'43'.repeat(20)}`
  const of = soldForCoins(coinsOf(ROUTER, TRADER, 97n), coinsOf(TRADER, entryPoint, 5n))
  const settled = { ...rules, settlements: [{ kind: 'erc4337', address: entryPoint }] } as const
  const events = blockHops({ ...of, logsEther: true }, [swap(-100n, 20n)], pools, rules)
  const receipt = new Map([['0xbeef' as Hex, of.logs]])
  expect(toTrades(events, settled, receipt)).toMatchObject([{ buy: { amount: 97n } }])
  expect(toTrades(events, rules, receipt)).toMatchObject([{ buy: { amount: 92n } }])
})

test('a contract that emits pool events is not a trader’s account, verified or not', () => {
  const unread: Address = `0x${'ab'.repeat(20)}`
  const bought = [transfer(6, [POOL, OTHER], 18n), transfer(7, [POOL, unread], 2n)]
  const sync = topicOf('event Sync(uint112 reserve0, uint112 reserve1)')
  const spoken: Log = { ...transfer(8, [POOL, POOL], 1n), address: unread, topics: [sync] }
  expect(tradesOf(block(0n, ...bought, spoken), [swap(10n, -20n)])).toMatchObject([
    { buy: { token: FOO, amount: 18n } },
  ])
  expect(tradesOf(block(0n, ...bought), [swap(10n, -20n)])).toMatchObject([{ buy: { token: FOO, amount: 20n } }])
})

test('liquidity of a pair that its transaction puts in before and takes out after marks the hop', () => {
  const none: Address = `0x${'00'.repeat(20)}`
  const logs = [transfer(1, [none, TRADER], 9n, POOL), paidOut, transfer(6, [TRADER, none], 9n, POOL)]
  const read = (...of: Log[]) =>
    toTrades(blockHops(block(0n), [swap(-100n, 50n)], pools, rules), rules, new Map([['0xbeef', of]]))
  expect(read(...logs)[0]?.hops).toMatchObject([{ isOfJitLiquidity: true }])
  expect(read(...logs.slice(0, 2))[0]?.hops[0]).not.toHaveProperty('isOfJitLiquidity')
})
