import type { Name, TokenName, Turn } from './made-world.ts'
import type { StepOf } from './random-steps.ts'
import type { ReceiptWriter } from './receipt-writer.ts'
import { pathOf, writeHops, writeRoute } from './write-route.ts'

type OrderStep = StepOf<'batch'>['orders'][number]

export function writeBatch(receipt: ReceiptWriter, { orders, eventsFirst }: StepOf<'batch'>): void {
  const paths = orders.map((order, at): Turn[] => {
    const before = orders[at - 1]
    return order.by === 'before' && before !== undefined ? pathOf({ ...before, from: order.from }) : pathOf(order)
  })
  const boughtBy = (at: number): TokenName | undefined => paths[at]?.at(-1)?.to
  const names = () => {
    orders.forEach((order, at) => {
      const bought = boughtBy(at)
      if (bought === undefined) return
      const got = (2n * order.amount * (100n - order.fee)) / 100n
      receipt.order(order.account, [order.from, order.amount], [isCoin(order, bought) ? 'coin' : bought, got])
    })
  }
  for (const { account, from, amount } of orders) receipt.transfer(from, account, 'cow', amount)
  if (eventsFirst) names()
  const paid = orders.map((order, at) => {
    const path = paths[at] ?? []
    const [first] = path
    if (first === undefined || order.by === 'stock' || first.pool === 'curveCoin') return 2n * order.amount
    receipt.transfer(order.from, 'cow', first.pool, order.amount)
    return writeHops(receipt, { path, amount: order.amount, to: 'cow', by: 'cow' })
  })
  orders.forEach((order, at) => {
    const bought = boughtBy(at)
    const amount = ((paid[at] ?? 0n) * (100n - order.fee)) / 100n
    if (bought !== undefined && isCoin(order, bought)) {
      receipt.unwrap('cow', amount)
      receipt.coins('cow', order.account, amount)
    } else if (bought !== undefined) receipt.transfer(bought, 'cow', order.account, amount)
  })
  if (!eventsFirst) names()
}

function isCoin({ buysCoins }: OrderStep, token: TokenName): boolean {
  return buysCoins && token === 'WETH'
}

export function writeBundle(receipt: ReceiptWriter, step: StepOf<'bundle'>): void {
  const { begins, operations } = step
  const entryPoint: Name = step.entryPoint
  for (const { account, gas } of operations) receipt.coins(account, entryPoint, gas)
  if (begins) receipt.begin(entryPoint)
  for (const { account, success, routes, isOwn, inner } of operations) {
    for (const each of success ? routes : []) {
      const payment = each.payment === 'coins' ? 'router' : each.payment
      writeRoute(receipt, isOwn ? { ...each, payer: account, recipient: account, payment } : each)
    }
    if (inner !== null)
      receipt.settle(
        inner.by,
        inner.account,
        inner.by === 'entryPoint' ? entryPoint : settlementOf(inner.by),
        inner.success,
      )
    receipt.settle('entryPoint', account, entryPoint, success)
  }
  receipt.coins(entryPoint, 'trader', 50n)
}

export function settlementOf(by: StepOf<'settlement'>['by']): Name {
  if (by === 'odosMulti') return 'odos'
  if (by === 'augustusBuy') return 'augustus'
  if (by === 'requests') return 'limitOrders'
  return by === 'odosV3Multi' ? 'odosV3' : by
}
