import { Interface, id } from 'ethers'
import { expect, test } from 'vitest'
import { at } from '../../../test/made-hop.ts'
import { topic, word } from '../../../test/made-log.ts'
import type { Address, Hex, Log } from '../../chain.ts'
import { namedAccounts, reportedOrders, settlementEvents } from './settlements.ts'

const [COW, ZEROEX, PARASWAP, REACTOR, FLOW] = [at('c0'), at('0f'), at('5a'), at('ac'), at('f1')]
const [ODOS, ODOS_V3, KYBER, ENTRY_POINT] = [at('0d'), at('0d3'), at('6b'), at('4337')]
const [USER, OTHER, SOLVER] = [at('a1'), at('a2'), at('50')]
const [WETH, USDC, FOO] = [at('e1'), at('d1'), at('f00')]
const COIN: Address = `0x${'ee'.repeat(20)}`
const settlements = [
  { kind: 'cow', address: COW },
  { kind: 'zeroex', address: ZEROEX },
  { kind: 'paraswap-v5', address: PARASWAP },
  { kind: 'uniswapx', address: REACTOR },
  { kind: 'odos-v2', address: ODOS },
  { kind: 'odos-v3', address: ODOS_V3 },
  { kind: 'kyberswap', address: KYBER },
  { kind: 'erc4337', address: ENTRY_POINT },
  { kind: 'cow-eth-flow', address: FLOW },
] as const

const data = (...values: (Address | bigint)[]): Hex => `0x${values.map(word).join('')}`
const [cow, zeroex, paraswap, uniswapx, odos, kyber, entryPoint] = [
  'Trade(address,address,address,uint256,uint256,uint256,bytes)',
  'TransformedERC20(address,address,address,uint256,uint256)',
  'SwappedV3(bytes16,address,uint256,address,address,address,address,uint256,uint256,uint256)',
  'Fill(bytes32,address,address,uint256)',
  'Swap(address,uint256,address,uint256,address,int256,uint32)',
  'Swapped(address,address,address,address,uint256,uint256)',
  'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
].map((signature) => id(signature)) as [Hex, Hex, Hex, Hex, Hex, Hex, Hex]

// Events from the ABIs of Odos' routers.
const ODOS_V2_EVENTS = new Interface([
  'event SwapMulti(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, address[] tokensOut, uint32 referralCode)',
])
const ODOS_V3_EVENTS = new Interface([
  'event Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
  'event SwapMulti(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, address[] tokensOut, int256[] slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
])
const encoded = (address: Address, face: Interface, name: string, values: unknown[]) => {
  const { topics, data } = face.encodeEventLog(name, values)
  return { address, topics: topics as Hex[], data: data as Hex }
}
const single = encoded(ODOS_V3, ODOS_V3_EVENTS, 'Swap', [USER, 5, USDC, 6, FOO, -7, 1, 2, SOLVER])
const purchased = id('BoughtV3(bytes16,address,uint256,address,address,address,address,uint256,uint256,uint256)') as Hex
const direct = id(
  'SwappedDirect(bytes16,address,uint256,address,uint8,address,address,address,uint256,uint256,uint256)',
) as Hex
const multiV2 = encoded(ODOS, ODOS_V2_EVENTS, 'SwapMulti', [USER, [5, 6], [USDC, WETH], [7], [FOO], 1])
const multiV3 = encoded(ODOS_V3, ODOS_V3_EVENTS, 'SwapMulti', [
  ...[USER, [5], [USDC], [6, 7, 8], [FOO, WETH, at('0')], [-1, 2, 3], 1, 2, SOLVER],
])

const eventsIn = (logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[]) =>
  settlementEvents(
    logs.map((log, logIndex) => ({ ...log, transactionIndex: 3, logIndex })),
    settlements,
  )
const namedBy = (...logs: Pick<Log, 'address' | 'topics' | 'data'>[]) =>
  namedAccounts(eventsIn(logs), settlements).map(({ account }) => account)
const operation = (success: bigint) => ({
  address: ENTRY_POINT,
  topics: [entryPoint, topic(9n), topic(USER), topic(SOLVER)],
  data: data(0n, success, 5n, 6n),
})

test.each([
  ['CoW', { address: COW, topics: [cow, topic(USER)], data: data(USDC, COIN, 5n, 6n, 0n, 0xe0n, 0n) }],
  ['0x', { address: ZEROEX, topics: [zeroex, topic(USER)], data: data(COIN, USDC, 5n, 6n) }],
  [
    'ParaSwap',
    {
      address: PARASWAP,
      topics: [paraswap, topic(USER), topic(USDC), topic(FOO)],
      data: data(1n, SOLVER, 0n, SOLVER, 5n, 6n, 7n),
    },
  ],
  ['UniswapX', { address: REACTOR, topics: [uniswapx, topic(9n), topic(SOLVER), topic(USER)], data: data(1n) }],
  ['Odos', { address: ODOS, topics: [odos], data: data(USER, 5n, USDC, 6n, at('0'), 0n, 1n) }],
  ['Odos with several tokens', multiV2],
  ['Odos V3', single],
  ['Odos V3 with several tokens', multiV3],
  ['KyberSwap', { address: KYBER, topics: [kyber], data: data(USER, COIN, FOO, USER, 5n, 6n) }],
  ['an entry point', operation(1n)],
])('%s names the account that it acts for', (_, log) => {
  expect(namedBy(log)).toEqual([USER])
})

test.each([
  ['from another contract', { address: OTHER, topics: [cow, topic(USER)], data: data(USDC, WETH, 5n, 6n, 0n) }],
  ['of another settlement’s kind', { address: ZEROEX, topics: [cow, topic(USER)], data: data(USDC, WETH, 5n, 6n) }],
  ['without the account', { address: COW, topics: [cow], data: data(USDC, WETH, 5n, 6n, 0n) }],
  [
    'with no address for the account',
    { address: KYBER, topics: [kyber], data: data(2n ** 200n, WETH, FOO, USER, 5n, 6n) },
  ],
  ['cut short', { address: KYBER, topics: [kyber], data: data(USER, WETH) }],
  ['of an operation that failed', operation(0n)],
  ['of the version before', { ...single, address: ODOS }],
  ['of the version after', { ...multiV2, address: ODOS_V3 }],
  ['with lists cut short', { ...multiV2, data: multiV2.data.slice(0, -64) as Hex }],
  ['with more data after its lists', { ...multiV3, data: `${multiV3.data}${word(0n)}` as Hex }],
  [
    'with a list that it does not point to',
    { ...multiV2, data: multiV2.data.replace(word(0xc0n), word(0xe0n)) as Hex },
  ],
])('an event %s says nothing', (_, log) => {
  expect(namedBy(log)).toEqual([])
})

test('each account is named once, and a settlement that acts for another settlement names no account', () => {
  const order = (account: Address) => ({ address: COW, topics: [cow, topic(account)], data: data(USDC, WETH, 5n, 6n) })
  expect(namedBy(order(USER), order(OTHER), order(USER), order(ZEROEX))).toEqual([USER, OTHER])
})

const reportedBy = (...logs: Pick<Log, 'address' | 'topics' | 'data'>[]) =>
  reportedOrders(eventsIn(logs), settlements, WETH)
const leg = (token: Address, amount: bigint | null, native = false) => ({ token, amount, native })

test.each([
  [
    'CoW',
    { address: COW, topics: [cow, topic(USER)], data: data(USDC, COIN, 5n, 6n, 0n, 0xe0n, 0n) },
    leg(WETH, 6n, true),
  ],
  ['0x', { address: ZEROEX, topics: [zeroex, topic(USER)], data: data(USDC, FOO, 5n, 6n) }, leg(FOO, 6n)],
  [
    'ParaSwap',
    {
      address: PARASWAP,
      topics: [paraswap, topic(USER), topic(USDC), topic(FOO)],
      data: data(0n, 0n, 0n, USER, 5n, 6n, 7n),
    },
    leg(FOO, 6n),
  ],
  ['Odos', { address: ODOS, topics: [odos], data: data(USER, 5n, USDC, 6n, at('0'), 0n, 1n) }, leg(WETH, 6n, true)],
  ['Odos V3', single, leg(FOO, 6n)],
  ['KyberSwap', { address: KYBER, topics: [kyber], data: data(USER, USDC, FOO, OTHER, 5n, 6n) }, leg(FOO, 6n)],
])('the event of %s tells an order with its amounts', (name, log, bought) => {
  const order = { owner: USER, isOfBatch: name === 'CoW', sell: leg(USDC, 5n), buy: bought, logIndex: 0 }
  expect(reportedBy(log)).toEqual([name === 'ParaSwap' ? { ...order, payer: USER } : order])
})

const [OF_SOLD, OF_SURPLUS] = [2n ** 15n, 2n ** 16n]
const V1 = 2n ** 248n
/** Of a trade of 5 USDC for 201 FOO; a purchase was to cost 5 USDC, or more by the surplus. */
test.each<[string, bigint, Address | bigint, bigint, sale: (bigint | null)[], purchase: (bigint | null)[]]>([
  ['nothing of it is kept', 0n, 0n, 0n, [5n, 201n], [5n, 201n]],
  ['a surplus is kept in part', 0n, 0n, 7n, [5n, null], [null, 201n]],
  ['less came than expected', 0n, 0n, -1n, [5n, 201n], [5n, 201n]],
  ['the code of nobody says nothing', V1 + 90n, 0n, 0n, [5n, 201n], [5n, 201n]],
  ['a partner takes nothing', V1 + 2n ** 14n, SOLVER, 0n, [5n, 201n], [5n, 201n]],
  ['a partner takes 1 %, rounded down', V1 + 100n, SOLVER, 7n, [5n, 199n], [5n, 199n]],
  ['a partner takes 5 %', V1 + 500n, SOLVER, 0n, [5n, 191n], [5n, 191n]],
  ['a larger fee may be capped', V1 + 501n, SOLVER, 0n, [5n, null], [5n, null]],
  ['a code of version 0 is not known', 100n, SOLVER, 0n, [5n, null], [5n, null]],
  ['a fee is of what was sold', V1 + OF_SOLD + 100n, SOLVER, 7n, [null, 201n], [null, 201n]],
  ['nobody has a share of a surplus', V1 + OF_SOLD, SOLVER, 7n, [5n, 201n], [null, 201n]],
  ['a referrer has a share of a surplus', V1 + OF_SURPLUS + 2_500n, SOLVER, 20n, [5n, 186n], [20n, 201n]],
  ['a referrer’s surplus did not come', V1 + OF_SURPLUS + 5_000n, SOLVER, 0n, [5n, 201n], [5n, 201n]],
  ['a referrer’s share is all that is left', V1 + OF_SURPLUS + 5_000n, SOLVER, 20n, [5n, 181n], [25n, 201n]],
  ['more is shared than the surplus', V1 + OF_SURPLUS + 5_001n, SOLVER, 20n, [5n, null], [null, 201n]],
  ['a surplus is shared with nobody', V1 + OF_SURPLUS + 5_000n, 0n, 7n, [5n, null], [null, 201n]],
])('ParaSwap tells what was sold and bought: %s', (_, code, partner, surplus, sale, purchase) => {
  const topics = [topic(USER), topic(USDC), topic(FOO)]
  const amounts = (expected: bigint) => [5n, 201n, expected]
  const ofTopic = (event: Hex, expected: bigint) => {
    return { address: PARASWAP, topics: [event, ...topics], data: data(1n, partner, code, OTHER, ...amounts(expected)) }
  }
  const ofKind = (kind: bigint, expected: bigint) => ({
    address: PARASWAP,
    topics: [direct, ...topics],
    data: data(1n, partner, code, OTHER, kind, ...amounts(expected)),
  })
  const [sold, bought] = [201n - surplus, 5n + surplus]
  const sales = [ofTopic(paraswap, sold), ofKind(0n, sold), ofKind(4n, sold)]
  const purchases = [ofTopic(purchased, bought), ofKind(1n, bought), ofKind(5n, bought)]
  const told = (log: (typeof sales)[number]) =>
    reportedBy(log).map(({ owner, payer, sell, buy }) => [owner, payer, sell.amount, buy.amount])
  for (const log of sales) expect(told(log)).toEqual([[USER, OTHER, ...sale]])
  for (const log of purchases) expect(told(log)).toEqual([[USER, OTHER, ...purchase]])
  expect(reportedBy({ ...ofTopic(paraswap, sold), address: OTHER })).toEqual([])
})

test('orders for users’ coins are of their contract; those of other settlements, of nothing and of wraps are none', () => {
  const order = (account: Address, sold: Address, bought: Address, amount = 5n) => {
    return { address: COW, topics: [cow, topic(account)], data: data(sold, bought, amount, 6n, 0n, 0xe0n, 0n) }
  }
  const logs = [order(ZEROEX, USDC, FOO), order(FLOW, WETH, FOO), order(USER, WETH, COIN), order(USER, USDC, FOO, 0n)]
  expect(reportedBy(...logs, multiV2, operation(1n)).map(({ owner }) => owner)).toEqual([FLOW])
  expect(namedBy(...logs)).toEqual([USER])
})

test.each([
  ['a CoW order', { address: COW, topics: [cow, topic(USER)], data: data(USDC, COIN, 5n, 6n) }, [USDC], [COIN]],
  ['0x', { address: ZEROEX, topics: [zeroex, topic(USER)], data: data(USDC, FOO, 5n, 6n) }, [USDC], [FOO]],
  [
    'ParaSwap',
    {
      address: PARASWAP,
      topics: [paraswap, topic(OTHER), topic(USDC), topic(FOO)],
      data: data(0n, 0n, 0n, USER, 5n, 6n, 7n),
    },
    [USDC],
    [FOO],
  ],
  ['Odos V3', single, [USDC], [FOO]],
  ['several tokens of Odos V2', multiV2, [USDC, WETH], [FOO]],
  ['several tokens of Odos V3', multiV3, [USDC], [FOO, WETH, at('0')]],
  ['KyberSwap', { address: KYBER, topics: [kyber], data: data(USER, USDC, FOO, OTHER, 5n, 6n) }, [USDC], [FOO]],
  ['UniswapX', { address: REACTOR, topics: [uniswapx, topic(1n), topic(2n), topic(USER)], data: data(3n) }, [], []],
])('the event of %s tells these tokens', (_, log, sold, bought) => {
  const [named] = namedAccounts(eventsIn([log]), settlements)
  expect([[...(named?.sold ?? [])], [...(named?.bought ?? [])]]).toEqual([sold, bought])
})
