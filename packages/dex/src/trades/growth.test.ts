import { expect, test } from 'vitest'
import { countingReads } from '../../test/counting-reads.ts'
import { at, madeHop, madePool } from '../../test/made-hop.ts'
import { topic } from '../../test/made-log.ts'
import type { Address, Hex, Log } from '../chain.ts'
import type { Pool } from '../pool.ts'
import { withPassingLiquidity } from './liquidity/passing-liquidity.ts'
import { ownSwaps } from './own-swaps.ts'
import { withoutIncome } from './receipt/income.ts'
import { Ledger } from './receipt/ledger.ts'
import { type TokenTransfer, TRANSFER } from './receipt/receipt-flows.ts'
import { tradeEnds } from './receipt/trade-ends.ts'
import { collapseHops } from './routes.ts'
import { tokenMoves } from './token-moves.ts'
import type { Hop } from './trade.ts'

/** Twice the logs and hops, which a sender controls, may take about twice the work, counted in field reads. */
const MOST_GROWTH = 2.5
const [WETH, FOO, BAR, POOL, SIGNER] = [at('e1'), at('f00'), at('ba2'), at('aa'), at('5151')]
const token = (place: number): Address => at((0x20000 + place).toString(16))
const account = (place: number): Address => at((0x30000 + place).toString(16))
const list = <T>(count: number, make: (place: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
const ZERO = at('')

/** Name, function to measure, and the hop at each index. */
const OF_HOPS: readonly [string, (hops: Hop[]) => unknown, (place: number, count: number) => Hop][] = [
  ['apart', collapseHops, (place) => madeHop(place, [token(2 * place), 5n], [token(2 * place + 1), 5n])],
  ['in a chain', collapseHops, (place) => madeHop(place, [token(place), 5n], [token(place + 1), 9n])],
  [
    'in a circle that grows',
    collapseHops,
    (place, count) => madeHop(place, [token(place), 5n], [token((place + 1) % count), 9n], { recipient: POOL }),
  ],
  [
    'that pass one token',
    (hops) => tokenMoves(hops, new Set()),
    (place) =>
      place % 2 ? madeHop(place, [FOO, BigInt(place)], [BAR, 5n]) : madeHop(place, [BAR, 5n], [FOO, BigInt(place)]),
  ],
]

test.each(OF_HOPS)('hops %s', (_, work, make) => {
  const readsFor = (count: number) => {
    const { counted, reads } = countingReads(list(count, (place) => make(place, count)))
    work(counted)
    return reads()
  }
  expect(readsFor(400) / readsFor(200)).toBeLessThan(MOST_GROWTH)
})

test('hops through a pool of bins, and logs of its shares', () => {
  const pool: Pool = madePool(POOL, [FOO, BAR], {
    dex: { name: 'lb', kind: 'liquidity-book', factory: at('f') },
    fee: 0,
  })
  const readsFor = (count: number) => {
    const made = list(count, (place) => madeHop(count + place, [FOO, 5n], [BAR, 5n], { pool }))
    const burnt = list(count, (logIndex): Log => {
      const topics: Hex[] = [TRANSFER, topic(account(logIndex)), topic(ZERO)]
      return { address: POOL, topics, data: topic(FOO), transactionIndex: 0, logIndex }
    })
    const [hops, logs] = [countingReads(made), countingReads(burnt)]
    withPassingLiquidity(hops.counted, logs.counted)
    return hops.reads() + logs.reads()
  }
  expect(readsFor(400) / readsFor(200)).toBeLessThan(MOST_GROWTH)
})

test('swaps of a token’s own, and transfers that the trader did not make', () => {
  const readsFor = (count: number) => {
    const hops = list(count, (place) => madeHop(2 * place + 1, [FOO, 5n], [BAR, 5n]))
    const paid = hops.map(({ pool, logIndex }, place): TokenTransfer => {
      const from = place % 2 ? FOO : account(place)
      return { token: FOO, from, to: pool.address, amount: 5n, logIndex: logIndex - 1 }
    })
    const { counted, reads } = countingReads(paid)
    expect(ownSwaps(hops, counted, SIGNER, WETH).size).toBeGreaterThan(count / 3)
    return reads()
  }
  expect(readsFor(400) / readsFor(200)).toBeLessThan(MOST_GROWTH)
})

test('mints of what pools sell, each paid by the pool itself', () => {
  const readsFor = (count: number) => {
    const made = list(count, (place) => madeHop(place, [BAR, 5n], [FOO, 5n]))
    const transfers = made.flatMap(({ pool }, place): TokenTransfer[] => [
      { token: FOO, from: ZERO, to: SIGNER, amount: 5n, logIndex: 2 * place },
      { token: FOO, from: pool.address, to: POOL, amount: 5n, logIndex: 2 * place + 1 },
    ])
    const [hops, moves] = [countingReads(made), countingReads(transfers)]
    const flows = { transfers: moves.counted, deposits: [], withdrawals: [], items: [], changesLiquidity: false }
    withoutIncome(new Ledger(flows, WETH), {
      transaction: { hash: '0xbeef', from: SIGNER, value: 0n },
      hops: hops.counted,
      ends: new Set([FOO, BAR]),
      accounts: [SIGNER],
      venues: new Set(made.map(({ pool }) => pool.address)),
      listed: new Set<Address>(),
    })
    return hops.reads() + moves.reads()
  }
  expect(readsFor(400) / readsFor(200)).toBeLessThan(MOST_GROWTH)
})

/** Name, named accounts, and the transfer at each index. Each transfer has a trade of two separate tokens. */
const OF_ENDS: readonly [string, (count: number) => Address[], (place: number) => [Address, Address, Address]][] = [
  ['tokens that the signer got', () => [], (place) => [token(-1 - place), POOL, SIGNER]],
  ['tokens that another account received', () => [], (place) => [token(2 * place + 1), POOL, account(place)]],
  ['accounts that gave', (count) => list(count, account), (place) => [token(2 * place), account(place), POOL]],
]

test.each(OF_ENDS)('trades, and %s', (_, principals, moved) => {
  const readsFor = (count: number) => {
    const trades = list(count, (place) => {
      const [sell, buy] = [2 * place, 2 * place + 1].map((of) => ({ token: token(of), amount: 5n, native: false }))
      if (sell === undefined || buy === undefined) throw new Error('no ends')
      return { sell, buy, hops: [madeHop(place, [sell.token, 5n], [buy.token, 5n])] }
    })
    const transfers = list(count, (logIndex): TokenTransfer => {
      const [of, from, to] = moved(logIndex)
      return { token: of, from, to, amount: 5n, logIndex }
    })
    const { counted, reads } = countingReads(transfers)
    const flows = { transfers: counted, deposits: [], withdrawals: [], items: [], changesLiquidity: false }
    const transaction = { hash: '0xbeef', from: SIGNER, value: 0n } as const
    const ledger = new Ledger(flows, WETH)
    tradeEnds(trades, {
      transaction,
      ledger,
      withIncome: ledger,
      principals: principals(count),
      venues: new Set([POOL]),
      named: [],
      orders: [],
      listed: new Set(),
    })
    return reads()
  }
  expect(readsFor(400) / readsFor(200)).toBeLessThan(MOST_GROWTH)
})
