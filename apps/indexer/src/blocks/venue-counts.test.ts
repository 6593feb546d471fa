import type { Address, Block, BlockHops, Hex, Hop, Log, Transaction } from '@dexfeed/dex'
import { id } from 'ethers'
import { expect, test } from 'vitest'
import { addressesOf, word } from '../../test/scene/made-values.ts'
import { VenueCounts } from './venue-counts.ts'

const [WETH, FOO, BAR, TRADER, VENUE, ROUTER] = addressesOf('e1', 'f0', 'ba', 'ee', 'aa', '10')
const TRADED = id('Traded(uint256)') as Hex
const log = (address: Address, ...topics: Hex[]): Log => ({
  address,
  topics,
  data: word(5n),
  transactionIndex: 0,
  logIndex: 0,
})
const moved = (token: Address, from: Address, to: Address) =>
  log(token, id('Transfer(address,address,uint256)') as Hex, word(from), word(to))
/** Logs of a trade of FOO for BAR through a venue that emits an event. */
const swapAt = (venue: Address) => [moved(FOO, TRADER, venue), moved(BAR, venue, TRADER), log(venue, TRADED)]
const sender = (value = 0n, from: Address | null = TRADER): Transaction => ({ hash: '0x01', from, value })

const block = (all: readonly [Transaction, readonly Log[]][], digit = '8'): Block => ({
  number: 1,
  parentHash: '0x00',
  timestamp: 1,
  logs: [],
  transactions: new Map(),
  hash: `0x${digit.padStart(64, '0')}`,
  receipts: { logsOf: (index) => all[index]?.[1] ?? null, transactions: () => all.map(([transaction]) => transaction) },
})
/** Returns the block with a hop in each of these transactions. */
const withHops = (block: Block, explained: readonly number[] = []): BlockHops => ({
  block,
  transactions: explained.map((transactionIndex) => {
    return { transaction: sender(), transactionIndex, hops: [{} as Hop], dropped: [] }
  }),
})
const counted = (block: Block, explained: number[] = []) => {
  const counts = new VenueCounts(WETH)
  counts.note(withHops(block, explained))
  return counts.counts()
}

test('swap-like receipts are counted; those without a hop by their event', () => {
  const three = block([
    [sender(), swapAt(VENUE)],
    [sender(), swapAt(ROUTER)],
    [sender(), swapAt(VENUE)],
  ])
  expect(counted(three)).toEqual({
    receipts: 3,
    unread: 3,
    venues: [
      { emitter: VENUE, topic: TRADED, receipts: 2 },
      { emitter: ROUTER, topic: TRADED, receipts: 1 },
    ],
  })
  expect(counted(three, [0, 2])).toMatchObject({ receipts: 3, unread: 1, venues: [{ emitter: ROUTER }] })
})

test.each<[string, Transaction, readonly Log[], boolean]>([
  ['coins for a token', sender(5n), swapAt(VENUE).slice(1), true],
  ['a token and coins for a token', sender(5n), swapAt(VENUE), false],
  ['a token that is only given', sender(), [moved(FOO, TRADER, VENUE), log(VENUE, TRADED)], false],
  ['two tokens for one', sender(), [...swapAt(VENUE), moved(WETH, TRADER, VENUE)], false],
  ['a transaction without a sender', sender(0n, null), swapAt(VENUE), false],
  ['the tokens of another account', sender(0n, ROUTER), swapAt(VENUE), false],
  [
    'liquidity',
    sender(),
    [
      ...swapAt(VENUE),
      log(VENUE, id('Sync(uint112,uint112)') as Hex),
      log(VENUE, id('Mint(address,uint256,uint256)') as Hex),
    ],
    false,
  ],
  [
    'an item',
    sender(),
    [
      ...swapAt(VENUE),
      log(ROUTER, id('Transfer(address,address,uint256)') as Hex, word(VENUE), word(TRADER), word(7n)),
    ],
    false,
  ],
])('%s: looks like a swap: %s', (_, transaction, logs, isSwap) => {
  expect(counted(block([[transaction, logs]])).receipts).toBe(isSwap ? 1 : 0)
})

test('the venue is the contract that the tokens went through, whatever emitted the last log', () => {
  const routed = [...swapAt(VENUE), log(ROUTER, TRADED)]
  expect(counted(block([[sender(), routed]])).venues).toMatchObject([{ emitter: VENUE }])
  const unsaid = [moved(FOO, TRADER, VENUE), moved(BAR, VENUE, TRADER)]
  expect(counted(block([[sender(), [...unsaid, log(ROUTER, TRADED)]]])).venues).toMatchObject([{ emitter: ROUTER }])
  expect(counted(block([[sender(), unsaid]])).venues).toMatchObject([{ emitter: `0x${'0'.repeat(40)}` }])
})

test('blocks without all receipts, and seven of eight others, are ignored', () => {
  const { receipts, ...bare } = block([[sender(), swapAt(VENUE)]])
  expect(counted(bare).receipts).toBe(0)
  expect(counted({ ...bare, receipts: { logsOf: () => swapAt(VENUE) } }).receipts).toBe(0)
  const digits = [...'0123456789abcdef']
  const looked = digits.filter((digit) => counted(block([[sender(), swapAt(VENUE)]], digit)).receipts > 0)
  expect(looked).toEqual(['0', '8'])
  const unread = () => {
    throw new Error('the transactions of a block that does not count are read')
  }
  expect(counted({ ...block([], '1'), receipts: { logsOf: () => null, transactions: unread } }).receipts).toBe(0)
  expect(receipts).toBeDefined()
})

test('stored counts continue, and old counts weigh less', () => {
  const counts = new VenueCounts(WETH)
  counts.restore({ receipts: 200_000, unread: 11, venues: [{ emitter: ROUTER, topic: TRADED, receipts: 11 }] })
  counts.note(withHops(block([[sender(), swapAt(VENUE)]])))
  expect(counts.counts()).toEqual({
    receipts: 100_000,
    unread: 6,
    venues: [{ emitter: ROUTER, topic: TRADED, receipts: 5 }],
  })
})

test('logged coins count as a token, both ways, and their log identifies no venue', () => {
  const system: Address = `0x${'f'.repeat(39)}e`
  const forCoins = [moved(FOO, TRADER, VENUE), log(VENUE, TRADED), moved(system, VENUE, TRADER)]
  const draft = log(system, id('Selfdestruct(address,uint256)') as Hex, word(VENUE))
  const logging = (transaction: Transaction, logs: readonly Log[]): Block => {
    return { ...block([[transaction, logs]]), logsEther: true }
  }
  expect(counted(logging(sender(), [...forCoins, draft])).venues).toEqual([
    { emitter: VENUE, topic: TRADED, receipts: 1 },
  ])
  expect(counted(logging(sender(), [...forCoins.slice(0, 1), forCoins[2] ?? draft, draft]))).toMatchObject({
    receipts: 1,
    venues: [{ topic: word(0n) }],
  })
  // All native coins came back.
  const refunded = [...swapAt(VENUE), moved(system, TRADER, VENUE), moved(system, VENUE, TRADER)]
  expect(counted(logging(sender(5n), refunded)).receipts).toBe(1)
  expect(counted(block([[sender(), forCoins]])).receipts).toBe(0)
})
