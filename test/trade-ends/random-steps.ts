import fc from 'fast-check'
import { type Name, PEOPLE, TOKENS, type TokenName } from './made-world.ts'
import { SETTLEMENTS } from './receipt-writer.ts'

const amount = fc.integer({ min: 100, max: 2_000 }).map(BigInt)
const percent = (...some: number[]) => fc.constantFrom(...some.map(BigInt))
const name = (...some: Name[]) => fc.constantFrom<Name>(...some)
const person = name(...PEOPLE)
const keeper = name('trader', 'other', 'treasury', 'router2')
const token = fc.constantFrom<TokenName>(...TOKENS)
const kind = <K extends string>(k: K) => fc.constant(k)

const route = fc.record({
  kind: kind('route'),
  from: token,
  turns: fc.array(fc.nat(7), { minLength: 1, maxLength: 4 }),
  amount,
  payer: name('trader', 'trader', 'trader', 'alice', 'bob', 'maker', 'router', 'manager'),
  payment: fc.constantFrom('direct', 'router', 'router', 'coins'),
  /** Percentage of the coins that the router sends back. */
  refund: percent(0, 0, 1, 10),
  taxIn: percent(0, 0, 0, 3, 10),
  /** Whether a pool pays the next one directly, instead of through the router. */
  straight: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  passedOn: percent(100, 100, 100, 98, 95, 90),
  /** The percentage of its real amounts that a Curve pool's event shows. The pool pays the rest after the event. */
  eventIn: percent(100, 100, 100, 90, 1),
  eventOut: percent(100, 100, 100, 101),
  keepsCoins: fc.boolean(),
  taxOut: percent(0, 0, 0, 3, 10),
  output: fc.constantFrom('direct', 'router', 'router', 'coins', 'coins', 'own coins', 'mixed'),
  recipient: name('trader', 'trader', 'trader', 'alice', 'other', 'unverified', 'dead'),
  fee: percent(0, 0, 1, 10, 12, 25),
  feeTo: name('treasury', 'treasury', 'other', 'router'),
  /** A fee, as a percentage of an end, that the router sells for another token. */
  soldFee: fc.option(fc.record({ of: fc.constantFrom('in', 'out'), percent: percent(1, 3, 5, 6), turn: fc.nat(7) }), {
    freq: 4,
  }),
  /** The token's contract sells while the payment is under way. */
  ownSale: fc.option(
    fc.record({
      payer: fc.constantFrom<Name | 'contract'>('contract', 'contract', 'helper', 'maker'),
      turn: fc.nat(5),
      recipient: name('router2', 'treasury', 'dead'),
      unwraps: fc.boolean(),
      onwards: fc.option(fc.nat(5), { freq: 2 }),
    }),
    { freq: 5 },
  ),
})

const unread = fc.record({
  kind: kind('unread'),
  from: token,
  to: token,
  amount,
  payer: name('trader', 'trader', 'router', 'alice'),
  recipient: name('trader', 'trader', 'router', 'other'),
  hasEvent: fc.boolean(),
  paysCoins: fc.boolean(),
})

const settlement = fc.record({
  kind: kind('settlement'),
  by: fc.constantFrom(...SETTLEMENTS),
  account: name('trader', 'alice', 'alice', 'bob', 'other', 'odos', 'entryPoint'),
  isForged: percent(0, 0, 0, 0, 1).map(Boolean),
  success: fc.nat(5).map((dice) => dice > 0),
})

/** Orders of CoW Protocol. */
const batch = fc.record({
  kind: kind('batch'),
  orders: fc.array(
    fc.record({
      account: name('alice', 'bob', 'other', 'trader'),
      from: token,
      turns: fc.array(fc.nat(7), { minLength: 1, maxLength: 3 }),
      amount,
      by: fc.constantFrom('pools', 'pools', 'pools', 'before', 'stock'),
      buysCoins: fc.boolean(),
      fee: percent(0, 0, 1, 30),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  eventsFirst: fc.boolean(),
})

const bundle = fc.record({
  kind: kind('bundle'),
  begins: fc.constantFrom(true, true, false),
  entryPoint: name('entryPoint', 'entryPoint', 'entryPoint2'),
  operations: fc.array(
    fc.record({
      account: name('alice', 'bob', 'other', 'trader', 'odos'),
      success: fc.nat(5).map((dice) => dice > 0),
      routes: fc.array(route, { minLength: 0, maxLength: 2 }),
      isOwn: fc.nat(5).map((dice) => dice > 0),
      gas: percent(0, 7, 60),
      inner: fc.option(settlement, { freq: 6 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
})

/** Events that no honest token emits. */
const incredible = fc.record({
  kind: kind('incredible'),
  of: fc.constantFrom('token', 'wrapped', 'coins', 'withdrawal'),
  token,
  from: name('maker', 'trader', 'alice', 'unverified'),
  to: name('trader', 'alice', 'other'),
  times: fc.constantFrom(1, 2),
})

/** A lending token's move. Its amount includes the account's interest since the last move. */
const lent = fc.record({
  kind: kind('lent'),
  token,
  account: name('trader', 'trader', 'alice', 'other'),
  value: amount,
  interest: fc.oneof(amount, fc.constantFrom(0n, 1n)),
  isBurn: fc.boolean(),
  isLate: fc.nat(5).map((dice) => dice === 0),
})

const income = fc.record({
  kind: kind('income'),
  token,
  from: name('zero', 'helper', 'treasury', 'maker', 'AAA'),
  to: name('trader', 'trader', 'alice', 'bob'),
  through: fc.option(name('treasury', 'router2'), { freq: 2 }),
  amount,
})

const repeat = fc.record({ kind: kind('repeat'), token, by: name('NFT', 'NFT', 'CCC') })

/** Transfers of coins, or logs that look like them. */
const coinLog = fc.record({
  kind: kind('coins'),
  from: name('trader', 'alice', 'router', 'other', 'maker', 'entryPoint', 'WETH', 'wethAaa'),
  to: name('trader', 'alice', 'bob', 'other', 'treasury', 'entryPoint', 'unverified', 'dead'),
  amount: fc.oneof(amount, fc.constantFrom(1n, 2n)),
  isMalformed: fc.nat(5).map((dice) => dice === 0),
  isForced: fc.nat(2).map((dice) => dice === 0),
})

export const step = fc.oneof(
  { weight: 8, arbitrary: route },
  { weight: 2, arbitrary: unread },
  { weight: 2, arbitrary: settlement },
  { weight: 2, arbitrary: batch },
  { weight: 1, arbitrary: bundle },
  { weight: 2, arbitrary: coinLog },
  { weight: 1, arbitrary: fc.record({ kind: kind('move'), token, from: person, to: keeper, amount }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind('wrap'), account: person, amount, isOut: fc.boolean(), isBack: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind('item'),
      standard: fc.constantFrom('721', '1155', 'batch'),
      from: person,
      to: person,
      isMalformed: fc.constantFrom(false, false, true),
      /** A transfer of a token directly after the item moves or is burnt. */
      with: fc.option(fc.record({ token, to: person, burns: fc.boolean() }), { freq: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind('liquidity'),
      of: fc.constantFrom('pair', 'lent', 'range', 'managed', 'withdrawn', 'curve', 'curve'),
    }),
  },
  { weight: 1, arbitrary: incredible },
  { weight: 1, arbitrary: lent },
  { weight: 2, arbitrary: income },
  { weight: 1, arbitrary: repeat },
)
/** Orders that others signed, filled through pools or from a stock, and at most one further step. */
export const fills = fc.record({
  orders: fc.array(
    fc.record({
      route,
      unread,
      isFromStock: percent(0, 0, 1).map(Boolean),
      by: fc.constantFrom<(typeof SETTLEMENTS)[number]>(
        'limitOrders',
        'limitOrders',
        'limitOrdersV6',
        'limitOrdersV6',
        'uniswapx',
        'requests',
      ),
      account: name('alice', 'alice', 'bob', 'maker'),
      isEventFirst: fc.boolean(),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  /** The fills, all from a stock, lie within each other. */
  areNested: fc.boolean(),
  beside: fc.option(step, { freq: 2 }),
})

type Of<T> = T extends fc.Arbitrary<infer S> ? S : never
export type Step = Of<typeof step>
export type Fills = Of<typeof fills>
export type RouteStep = Of<typeof route>
export type StepOf<K extends Step['kind']> = Extract<Step, { kind: K }>
