import fc from 'fast-check'
import { type Fills, fills, type Step, type StepOf, step } from './random-steps.ts'
import { type CoinLogs, ReceiptWriter } from './receipt-writer.ts'
import { settlementOf, writeBatch, writeBundle } from './write-accounts.ts'
import { writeRoute } from './write-route.ts'

export const MOST = 2n ** 256n - 1n

export const randomReceipt = fc
  .record({
    steps: fc.array(step, { minLength: 1, maxLength: 5 }),
    coins: fc.constantFrom(0n, 0n, 0n, 50n, 700n),
    logsCoins: fc.constantFrom<CoinLogs>('none', 'none', 'all', 'polygon'),
  })
  .map(({ steps, coins, logsCoins }) => {
    const receipt = new ReceiptWriter(logsCoins)
    if (coins > 0n) receipt.sendAlong('router', coins)
    for (const each of steps) write(receipt, each)
    return receipt
  })

export const randomFills = fc
  .record({
    fills,
    value: fc.constantFrom(0n, 0n, 1n, 10n ** 12n),
    logsCoins: fc.constantFrom<CoinLogs>('none', 'all'),
  })
  .map(({ fills: { orders, areNested, beside }, value, logsCoins }) => {
    const receipt = new ReceiptWriter(logsCoins)
    receipt.value = value
    if (areNested) writeNestedFills(receipt, orders)
    for (const { route, unread, isFromStock, by, account, isEventFirst } of areNested ? [] : orders) {
      const tell = () => receipt.settle(by, account, settlementOf(by), true)
      const own = { payer: account, recipient: account }
      if (isEventFirst) tell()
      const inCoins = unread.paysCoins ? ({ from: 'AAA', to: 'WETH' } as const) : {}
      if (isFromStock) writeUnread(receipt, { ...unread, ...own, ...inCoins, hasEvent: false })
      else writeRoute(receipt, { ...route, ...own, payment: 'router', ownSale: null })
      if (!isEventFirst) tell()
    }
    if (beside !== null) write(receipt, beside)
    return receipt
  })

function write(receipt: ReceiptWriter, step: Step): void {
  if (step.kind === 'route') writeRoute(receipt, step)
  if (step.kind === 'unread') writeUnread(receipt, step)
  if (step.kind === 'settlement') {
    receipt.settle(step.by, step.account, step.isForged ? 'impostor' : settlementOf(step.by), step.success)
  }
  if (step.kind === 'batch') writeBatch(receipt, step)
  if (step.kind === 'bundle') writeBundle(receipt, step)
  if (step.kind === 'move') receipt.transfer(step.token, step.from, step.to, step.amount)
  if (step.kind === 'wrap' && step.isOut) receipt.unwrap(step.account, step.amount)
  if (step.kind === 'wrap' && (!step.isOut || step.isBack)) receipt.wrap(step.account, step.amount)
  const more = 'isMalformed' in step && step.isMalformed ? '00'.repeat(32) : ''
  if (step.kind === 'item') {
    receipt.item(step.standard, step.from, step.with?.burns ? 'zero' : step.to, more)
    if (step.with !== null) receipt.transfer(step.with.token, step.from, step.with.to, 100n)
  }
  if (step.kind === 'liquidity') receipt.liquidity(step.of)
  if (step.kind === 'lent') receipt.lent(step)
  if (step.kind === 'income') {
    if (step.through !== null) receipt.transfer(step.token, step.from, step.through, step.amount)
    receipt.transfer(step.token, step.through ?? step.from, step.to, step.amount)
  }
  if (step.kind === 'repeat') receipt.repeat(step.token, step.by)
  if (step.kind === 'coins' && (receipt.logsCoins !== 'none' || step.isForced)) {
    if (receipt.logsCoins === 'polygon') receipt.polygonLog(step.from, step.to, step.amount, step.isMalformed)
    else receipt.coinLog(step.from, step.to, step.amount, more)
  }
  if (step.kind === 'incredible') writeIncredible(receipt, step)
}

function writeNestedFills(receipt: ReceiptWriter, orders: Fills['orders']): void {
  const tell = ({ by, account }: Fills['orders'][number]) => receipt.settle(by, account, settlementOf(by), true)
  for (const order of orders) {
    if (order.isEventFirst) tell(order)
    receipt.transfer(order.unread.from, order.account, 'darkVenue', order.unread.amount)
  }
  for (const order of orders.toReversed()) {
    const { amount, to, paysCoins } = order.unread
    if (paysCoins) receipt.unwrap('darkVenue', 2n * amount)
    else receipt.transfer(to, 'darkVenue', order.account, 2n * amount)
    if (!order.isEventFirst) tell(order)
  }
}

function writeUnread(receipt: ReceiptWriter, step: StepOf<'unread'>): void {
  const { from, to, amount, payer, recipient, hasEvent, paysCoins } = step
  const venue = hasEvent ? 'unverified' : 'darkVenue'
  receipt.transfer(from, payer, venue, amount)
  if (hasEvent) receipt.pairSwap('unverified', true, amount, 2n * amount, recipient)
  if (to === 'WETH' && paysCoins) {
    receipt.unwrap(venue, 2n * amount)
    receipt.coins(venue, recipient, 2n * amount)
  } else receipt.transfer(to, venue, recipient, 2n * amount)
}

function writeIncredible(receipt: ReceiptWriter, { of, token, from, to, times }: StepOf<'incredible'>): void {
  for (let at = 0; at < times; at++) {
    if (of === 'token') receipt.transfer(token, from, to, MOST)
    if (of === 'wrapped') receipt.transfer('WETH', from, to, MOST)
    if (of === 'coins') receipt.coins(from, to, MOST)
    if (of === 'withdrawal') receipt.unwrap(from, MOST)
  }
}
