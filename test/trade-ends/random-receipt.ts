import fc from 'fast-check'
import { type Name, PEOPLE, pairsOf, TOKENS, type TokenName } from './made-world.ts'
import { ReceiptWriter } from './receipt-writer.ts'

const amount = fc.integer({ min: 100, max: 2_000 }).map(BigInt)
const percent = (...some: number[]) => fc.constantFrom(...some.map(BigInt))
const person = fc.constantFrom<Name>(...PEOPLE)
/** Who pays for no route with what others give. */
const keeper = fc.constantFrom<Name>('trader', 'other', 'treasury', 'router2')
const token = fc.constantFrom<TokenName>(...TOKENS)

/** Several pools one after the other, and who pays them and is paid. */
const route = fc.record({
  kind: fc.constant('route' as const),
  from: token,
  /** Which of the pools that take the token. */
  turns: fc.array(fc.nat(5), { minLength: 1, maxLength: 4 }),
  amount,
  payer: fc.constantFrom<Name>('trader', 'trader', 'trader', 'alice', 'bob', 'maker', 'router'),
  payment: fc.constantFrom('direct', 'router', 'router', 'coins'),
  taxIn: percent(0, 0, 0, 3, 10),
  /** Pools that pay the next one, by their turn; others pay the router. */
  straight: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  /** Of what a pool paid the next one gets so much. */
  goesOn: percent(100, 100, 100, 98, 95, 90),
  taxOut: percent(0, 0, 0, 3, 10),
  output: fc.constantFrom('direct', 'router', 'router', 'coins', 'own coins'),
  recipient: fc.constantFrom<Name>('trader', 'trader', 'trader', 'alice', 'other'),
  fee: percent(0, 0, 1, 10, 12),
  /** A sale of the token's contract while the payment is under way. */
  ownSale: fc.option(
    fc.record({
      payer: fc.constantFrom<Name | 'contract'>('contract', 'contract', 'helper', 'maker'),
      turn: fc.nat(5),
      recipient: fc.constantFrom<Name>('router2', 'treasury', 'dead'),
      unwraps: fc.boolean(),
    }),
    { freq: 5 },
  ),
})

/** A swap by somebody who is not read, with a pool's event or without one. */
const unread = fc.record({
  kind: fc.constant('unread' as const),
  from: token,
  to: token,
  amount,
  payer: fc.constantFrom<Name>('trader', 'trader', 'router', 'alice'),
  recipient: fc.constantFrom<Name>('trader', 'trader', 'router', 'other'),
  hasEvent: fc.boolean(),
  paysCoins: fc.boolean(),
})

const account = fc.constantFrom<Name>('trader', 'alice', 'alice', 'bob', 'other', 'odos', 'entryPoint')
const settlement = fc.record({
  kind: fc.constant('settlement' as const),
  by: fc.constantFrom('cow', 'odos', 'uniswapx', 'entryPoint'),
  account,
  isForged: percent(0, 0, 0, 0, 1).map(Boolean),
  success: fc.nat(5).map((dice) => dice > 0),
})

const step = fc.oneof(
  { weight: 6, arbitrary: route },
  { weight: 2, arbitrary: unread },
  { weight: 2, arbitrary: settlement },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('move' as const), token, from: person, to: keeper, amount }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wrap' as const), account: person, amount, isOut: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('item' as const),
      standard: fc.constantFrom('721', '1155', 'batch'),
      from: person,
      to: person,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('liquidity' as const),
      of: fc.constantFrom('pair', 'range', 'managed'),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
type RouteStep = Extract<Step, { kind: 'route' }>

/** A transaction as its receipt tells it. */
export const randomReceipt = fc
  .record({ steps: fc.array(step, { minLength: 1, maxLength: 5 }), coins: percent(0, 0, 0, 50, 700) })
  .map(({ steps, coins }) => {
    const receipt = new ReceiptWriter()
    receipt.value = coins
    for (const one of steps) write(receipt, one)
    return receipt
  })

function write(receipt: ReceiptWriter, step: Step): void {
  if (step.kind === 'route') writeRoute(receipt, step)
  if (step.kind === 'unread') writeUnread(receipt, step)
  if (step.kind === 'settlement') {
    receipt.settle(step.by, step.account, step.isForged ? 'impostor' : step.by, step.success)
  }
  if (step.kind === 'move') receipt.transfer(step.token, step.from, step.to, step.amount)
  if (step.kind === 'wrap' && step.isOut) receipt.unwrap(step.account, step.amount)
  if (step.kind === 'wrap' && !step.isOut) receipt.wrap(step.account, step.amount)
  if (step.kind === 'item') receipt.item(step.standard, step.from, step.to)
  if (step.kind === 'liquidity') receipt.liquidity(step.of)
}

function writeUnread(receipt: ReceiptWriter, step: Extract<Step, { kind: 'unread' }>): void {
  const { from, to, amount, payer, recipient, hasEvent, paysCoins } = step
  const venue = hasEvent ? 'unverified' : 'darkVenue'
  receipt.transfer(from, payer, venue, amount)
  if (hasEvent) receipt.swap('unverified', true, amount, 2n * amount, recipient)
  if (to === 'WETH' && paysCoins) receipt.unwrap(venue, 2n * amount)
  else receipt.transfer(to, venue, recipient, 2n * amount)
}

interface Turn {
  pair: ReturnType<typeof pairsOf>[number]['pair']
  isFirst: boolean
  from: TokenName
  to: TokenName
}

function turnsOf({ from, turns }: Pick<RouteStep, 'from' | 'turns'>): Turn[] {
  const path: Turn[] = []
  let at = from
  for (const turn of turns) {
    const pairs = pairsOf(at).filter(({ pair }) => pair !== path.at(-1)?.pair)
    const next = pairs[turn % pairs.length]
    if (next === undefined) break
    path.push({ pair: next.pair, isFirst: next.isFirst, from: at, to: next.other })
    at = next.other
  }
  return path
}

function writeRoute(receipt: ReceiptWriter, step: RouteStep): void {
  const path = turnsOf(step)
  const [first, last] = [path[0], path.at(-1)]
  if (first === undefined || last === undefined) return
  let amount = pay(receipt, step, first)
  path.forEach((turn, at) => {
    const next = path[at + 1]
    const bought = turn.isFirst ? 2n * amount + 1n : amount / 2n + 1n
    const isDirect = next === undefined ? step.output === 'direct' || step.output === 'own coins' : step.straight[at]
    const to = isDirect ? (next?.pair ?? step.recipient) : 'router'
    const arrived = taxed(receipt, turn.to, turn.pair, to, bought, turn.to === 'TAX' ? step.taxOut : 0n)
    receipt.swap(turn.pair, turn.isFirst, amount, bought, to)
    amount = arrived
    if (next !== undefined && !isDirect) {
      amount = (amount * step.goesOn) / 100n
      receipt.transfer(turn.to, 'router', next.pair, amount)
    }
  })
  payOut(receipt, step, last.to, amount)
}

/** What of the payment arrives at the first pool. */
function pay(receipt: ReceiptWriter, step: RouteStep, { pair, from }: Turn): bigint {
  const { amount, payer, payment, taxIn } = step
  const tax = from === 'WETH' ? 0n : taxIn
  if (payment === 'coins' && from === 'WETH') {
    receipt.value += amount
    receipt.wrap('router', amount)
    receipt.transfer(from, 'router', pair, amount)
    return amount
  }
  writeOwnSale(receipt, step)
  if (payment === 'direct' || payer === 'router') return taxed(receipt, from, payer, pair, amount, tax)
  const arrived = taxed(receipt, from, payer, 'router', amount, tax)
  receipt.transfer(from, 'router', pair, arrived)
  return arrived
}

function writeOwnSale(receipt: ReceiptWriter, { ownSale, from, amount }: RouteStep): void {
  const [turn] = ownSale === null ? [] : turnsOf({ from, turns: [ownSale.turn] })
  if (ownSale === null || turn === undefined || from === 'WETH') return
  const payer = ownSale.payer === 'contract' ? from : ownSale.payer
  const sold = amount / 3n
  if (payer === 'helper') receipt.transfer(from, from, 'helper', sold)
  receipt.transfer(from, payer, turn.pair, sold)
  const bought = turn.isFirst ? 2n * sold : sold / 2n
  receipt.transfer(turn.to, turn.pair, ownSale.recipient, bought)
  receipt.swap(turn.pair, turn.isFirst, sold, bought, ownSale.recipient)
  receipt.ownSwaps.add(receipt.logs.length - 1)
  if (turn.to === 'WETH' && ownSale.unwraps) receipt.unwrap(ownSale.recipient, bought)
}

function payOut(receipt: ReceiptWriter, { output, recipient, fee }: RouteStep, token: TokenName, amount: bigint): void {
  const isCoin = token === 'WETH'
  if (output === 'own coins' && isCoin) receipt.unwrap(recipient, amount)
  if (output === 'direct' || output === 'own coins') return
  const paid = amount - (amount * fee) / 100n
  if (output === 'coins' && isCoin) {
    receipt.unwrap('router', paid)
    return
  }
  if (paid < amount) receipt.transfer(token, 'router', 'treasury', amount - paid)
  receipt.transfer(token, 'router', recipient, paid)
}

/** Moves a token; the contract keeps a tax. What arrives. */
function taxed(receipt: ReceiptWriter, token: TokenName, from: Name, to: Name, amount: bigint, tax: bigint): bigint {
  const kept = (amount * tax) / 100n
  if (kept > 0n) receipt.transfer(token, from, token, kept)
  receipt.transfer(token, from, to, amount - kept)
  return amount - kept
}
