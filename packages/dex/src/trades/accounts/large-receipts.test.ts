import { expect, test } from 'vitest'
import { at, madeHop } from '../../../test/made-hop.ts'
import { topic, word } from '../../../test/made-log.ts'
import type { Address, Log } from '../../chain.ts'
import { Ledger } from '../receipt/ledger.ts'
import { receiptFlows, TRANSFER } from '../receipt/receipt-flows.ts'
import { USER_OPERATION } from '../receipt/settlements.ts'
import { accountTrades } from './account-trades.ts'
import { operationParts } from './operations.ts'

const [WETH, FOO, BAR, ENTRY, POOL] = [at('e1'), at('f00'), at('ba2'), at('43'), at('aa')]
const nth = (place: number): Address => at((0x10000 + place).toString(16))

type Made = Pick<Log, 'address' | 'topics' | 'data'>
const moved = (token: Address, from: Address, to: Address): Made => {
  return { address: token, topics: [TRANSFER, topic(from), topic(to)], data: topic(1_000n) }
}
const ended = (account: Address): Made => ({
  address: ENTRY,
  topics: [USER_OPERATION, topic(ENTRY), topic(account), topic(POOL)],
  data: `0x${[0n, 1n, 0n, 0n].map(word).join('')}`,
})
const placed = (made: readonly Made[]): Log[] =>
  made.map((log, logIndex) => ({ ...log, transactionIndex: 0, logIndex }))

/** Returns the parts of a bundle with one hop in each operation, followed by transfers outside them. */
function partsOf(operations: number, outside: number) {
  const accounts = Array.from({ length: operations }, (_, place) => nth(place))
  const inside = accounts.flatMap((account) => [moved(FOO, account, POOL), ended(account)])
  const logs = placed([...inside, ...Array.from({ length: outside }, () => moved(BAR, WETH, POOL))])
  const hops = accounts.map((_, place) => madeHop(2 * place, [FOO, 5n], [BAR, 5n]))
  return operationParts(hops, logs, [{ kind: 'erc4337', address: ENTRY }])
}

test('logs outside of operations are of every part', () => {
  const parts = partsOf(20, 1_000)
  expect(parts.map(({ logs }) => logs.length)).toEqual(Array(20).fill(1_002))
  expect(
    parts
      .at(-1)
      ?.logs.map(({ logIndex }) => logIndex)
      .slice(0, 3),
  ).toEqual([38, 39, 40])
})

test('of no part where that would be far too many', () => {
  expect(partsOf(20, 1_001).map(({ logs }) => logs.length)).toEqual(Array(20).fill(2))
})

/** Returns the trades of accounts that each sell FOO for BAR, with hops between these tokens. */
function tradesOf(accounts: number, hops: number) {
  const order = { sold: new Set<Address>(), bought: new Set<Address>(), hasOrder: true, logIndex: 0 }
  const named = Array.from({ length: accounts }, (_, place) => ({ account: nth(place), ...order }))
  const logs = placed(named.flatMap(({ account }) => [moved(FOO, account, POOL), moved(BAR, POOL, account)]))
  const made = Array.from({ length: hops }, (_, place) => madeHop(1_000 + place, [FOO, 500n], [BAR, 500n]))
  const transaction = { hash: '0xbeef', from: null, value: 0n } as const
  const ledger = new Ledger(receiptFlows(logs, WETH), WETH)
  return accountTrades(made, { transaction, ledger, named, reported: [], listed: new Set() })
}

test('orders share all hops', () => {
  expect(tradesOf(100, 200)?.trades.length).toBe(100)
})

test('orders get no trades if there are too many orders and hops', () => {
  expect(tradesOf(100, 201)).toBeNull()
})

/**
 * Returns the trades of orders that share one hop. Each round leaves out one of the first orders, so the others get
 * more of the hop. The last order may have all of it.
 */
function tradesAfterRounds(rounds: number) {
  const count = BigInt(rounds) + 1n
  const out = 1_000n * count
  const bought = Array.from({ length: rounds }, (_, place) => out / (2n * (count - BigInt(place))) - 1n)
  const named = [...bought, out].map((amount, place) => {
    const paid = { ...moved(BAR, POOL, nth(place)), data: topic(amount) }
    const order = { sold: new Set<Address>(), bought: new Set<Address>(), hasOrder: true, logIndex: 0 }
    return { account: nth(place), ...order, logs: [moved(FOO, nth(place), POOL), paid] }
  })
  const hops = [madeHop(1_000, [FOO, count], [BAR, out])]
  const transaction = { hash: '0xbeef', from: null, value: 0n } as const
  const ledger = new Ledger(receiptFlows(placed(named.flatMap(({ logs }) => logs)), WETH), WETH)
  return accountTrades(hops, { transaction, ledger, named, reported: [], listed: new Set() })
}

test('hops are shared again at most nine times', () => {
  expect(tradesAfterRounds(9)?.trades.map(({ ends }) => ends.settledFor)).toEqual([nth(9)])
  expect(tradesAfterRounds(10)).toBeNull()
})

test('orders of tokens that are not listed are not compared with the accounts that moved these', () => {
  let compared = 0
  class CountingLedger extends Ledger {
    override ofToken(token: Address) {
      compared++
      return super.ofToken(token)
    }
  }
  const order = { sold: new Set<Address>(), bought: new Set<Address>(), hasOrder: true, isUnproven: true } as const
  const named = [nth(1), nth(2)].map((account) => ({ account, ...order, logIndex: 0 }))
  const logs = placed(named.flatMap(({ account }) => [moved(FOO, account, POOL), moved(BAR, POOL, account)]))
  const ledger = new CountingLedger(receiptFlows(logs, WETH), WETH)
  const transaction = { hash: '0xbeef', from: null, value: 0n } as const
  const tradesWith = (listed: Set<Address>) => accountTrades([], { transaction, ledger, named, reported: [], listed })
  expect([tradesWith(new Set([FOO])), compared]).toEqual([null, 0])
  expect([tradesWith(new Set([FOO, BAR]))?.trades.length, compared > 0]).toEqual([2, true])
})
