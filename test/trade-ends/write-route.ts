import { idsOf, type Name, type TokenName, type Turn, turnsFrom } from './made-world.ts'
import type { RouteStep } from './random-steps.ts'
import type { ReceiptWriter } from './receipt-writer.ts'

export function writeRoute(receipt: ReceiptWriter, step: RouteStep): void {
  const path = pathOf(step)
  const [first, last] = [path[0], path.at(-1)]
  if (first === undefined || last === undefined) return
  const paid = pay(receipt, step, first)
  const isDirect = ['direct', 'own coins'].includes(step.output)
  const amount = writeHops(receipt, { ...step, path, amount: paid, to: isDirect ? step.recipient : 'router' })
  payOut(receipt, step, last.to, amount)
}

export function pathOf({ from, turns }: Pick<RouteStep, 'from' | 'turns'>): Turn[] {
  const path: Turn[] = []
  let at = from
  for (const turn of turns) {
    const pools = turnsFrom(at).filter(({ pool }) => pool !== path.at(-1)?.pool)
    const next = pools[turn % pools.length]
    if (next === undefined) break
    path.push(next)
    at = next.to
  }
  return path
}

interface Hops
  extends Partial<Pick<RouteStep, 'straight' | 'passedOn' | 'taxOut' | 'eventIn' | 'eventOut' | 'keepsCoins'>> {
  path: readonly Turn[]
  amount: bigint
  to: Name
  by?: Name
}

/** Returns how much of the last pool's output arrived. */
export function writeHops(receipt: ReceiptWriter, hops: Hops): bigint {
  const { path, to, by = 'router', straight = [], passedOn = 100n, taxOut = 0n } = hops
  let amount = hops.amount
  path.forEach((turn, at) => {
    const next = path[at + 1]
    const bought = turn.isFirst ? 2n * amount + 1n : amount / 2n + 1n
    const isStraight = next === undefined || (straight[at] === true && next.pool !== 'curveCoin')
    const paid = isStraight ? (next?.pool ?? to) : by
    const arrived = payFromPool(receipt, turn, paid, bought, { tax: turn.to === 'TAX' ? taxOut : 0n, ...hops })
    const isCurve = idsOf(turn) !== null
    const stated = isCurve ? [share(amount, hops.eventIn), share(bought, hops.eventOut)] : [amount, bought]
    receipt.swap(turn, stated[0] ?? amount, stated[1] ?? bought, paid)
    amount = arrived
    if (next !== undefined && !isStraight) {
      amount = (amount * passedOn) / 100n
      payPool(receipt, next, by, amount)
    }
  })
  return amount
}

function share(amount: bigint, percent = 100n): bigint {
  return (amount * percent) / 100n
}

function payPool(receipt: ReceiptWriter, { pool, from }: Turn, by: Name, amount: bigint): void {
  if (pool === 'curveCoin' && from === 'WETH') {
    receipt.unwrap(by, amount)
    receipt.coins(by, pool, amount)
  } else receipt.transfer(from, by, pool, amount)
}

/** Wraps coins again. Returns how much arrived. */
function payFromPool(
  receipt: ReceiptWriter,
  { pool, to: token }: Turn,
  to: Name,
  amount: bigint,
  { tax, keepsCoins = false }: { tax: bigint; keepsCoins?: boolean },
): bigint {
  const isCoin = token === 'WETH' && (pool === 'curveCoin' || (pool === 'curveCrypto' && keepsCoins))
  if (!isCoin) return taxed(receipt, { token, from: pool, to, amount, tax })
  receipt.coins(pool, 'router', amount)
  receipt.wrap('router', amount)
  if (to !== 'router') receipt.transfer('WETH', 'router', to, amount)
  return amount
}

function pay(receipt: ReceiptWriter, step: RouteStep, turn: Turn): bigint {
  const { payer, payment, taxIn, refund } = step
  const { pool, from } = turn
  const tax = from === 'WETH' ? 0n : taxIn
  if (payment === 'coins' && from === 'WETH') {
    const { amount } = step
    const back = share(amount, refund)
    receipt.sendAlong('router', amount + back)
    if (pool === 'curveCoin') receipt.coins('router', pool, amount)
    else {
      receipt.wrap('router', amount)
      receipt.transfer(from, 'router', pool, amount)
    }
    receipt.coins('router', 'trader', back)
    return amount
  }
  writeOwnSale(receipt, step)
  if (pool !== 'curveCoin' && (payment === 'direct' || payer === 'router')) {
    return taxed(receipt, { token: from, from: payer, to: pool, amount: step.amount, tax })
  }
  const arrived = taxed(receipt, { token: from, from: payer, to: 'router', amount: step.amount, tax })
  const amount = arrived - sellFee(receipt, step, 'in', from, arrived)
  payPool(receipt, turn, 'router', amount)
  return amount
}

function sellFee(
  receipt: ReceiptWriter,
  { soldFee, feeTo }: RouteStep,
  of: 'in' | 'out',
  from: TokenName,
  amount: bigint,
): bigint {
  const [turn] = soldFee === null || soldFee.of !== of ? [] : pathOf({ from, turns: [soldFee.turn] })
  if (soldFee === null || turn === undefined || turn.pool === 'curveCoin') return 0n
  const fee = share(amount, soldFee.percent)
  if (fee < 3n) return 0n
  receipt.transfer(from, 'router', turn.pool, fee)
  writeHops(receipt, { path: [turn], amount: fee, to: feeTo })
  return fee
}

function writeOwnSale(receipt: ReceiptWriter, { ownSale, from, amount }: RouteStep): void {
  const [turn] = ownSale === null ? [] : pathOf({ from, turns: [ownSale.turn] })
  if (ownSale === null || turn === undefined || from === 'WETH') return
  const payer = ownSale.payer === 'contract' ? from : ownSale.payer
  const sold = amount / 3n
  if (payer === 'helper') receipt.transfer(from, from, 'helper', sold)
  receipt.transfer(from, payer, turn.pool, sold)
  const bought = turn.isFirst ? 2n * sold : sold / 2n
  const [next] = ownSale.onwards === null ? [] : pathOf({ from: turn.to, turns: [ownSale.onwards] })
  const isOnwards = next !== undefined && next.pool !== turn.pool && idsOf(next) === null
  const recipient = isOnwards ? next.pool : ownSale.recipient
  receipt.transfer(turn.to, turn.pool, recipient, bought)
  receipt.swap(turn, sold, bought, recipient)
  receipt.ownSwaps.add(receipt.logs.length - 1)
  if (isOnwards) {
    const paid = next.isFirst ? 2n * bought : bought / 2n
    receipt.transfer(next.to, next.pool, ownSale.recipient, paid)
    receipt.swap(next, bought, paid, ownSale.recipient)
    receipt.ownSwaps.add(receipt.logs.length - 1)
    return
  }
  if (turn.to === 'WETH' && ownSale.unwraps) receipt.unwrap(ownSale.recipient, bought)
}

function payOut(receipt: ReceiptWriter, step: RouteStep, token: TokenName, bought: bigint): void {
  const { output, recipient, fee, feeTo } = step
  const isCoin = token === 'WETH'
  if (output === 'own coins' && isCoin) receipt.unwrap(recipient, bought)
  if (output === 'direct' || output === 'own coins') return
  const amount = bought - sellFee(receipt, step, 'out', token, bought)
  const paid = amount - share(amount, fee)
  if (isCoin && output === 'coins') {
    receipt.unwrap('router', amount)
    receipt.coins('router', recipient, paid)
    receipt.coins('router', feeTo, amount - paid)
  } else if (isCoin && output === 'mixed') {
    const unwrapped = paid / 2n + 1n
    receipt.unwrap('router', unwrapped)
    receipt.coins('router', recipient, unwrapped)
    receipt.transfer(token, 'router', recipient, paid - unwrapped)
  } else {
    if (paid < amount && feeTo !== 'router') receipt.transfer(token, 'router', feeTo, amount - paid)
    receipt.transfer(token, 'router', recipient, paid)
  }
}

/** The token's contract keeps the tax. Returns how much arrived. */
function taxed(
  receipt: ReceiptWriter,
  { token, from, to, amount, tax }: { token: TokenName; from: Name; to: Name; amount: bigint; tax: bigint },
): bigint {
  const kept = (amount * tax) / 100n
  if (kept > 0n) receipt.transfer(token, from, token, kept)
  receipt.transfer(token, from, to, amount - kept)
  return amount - kept
}
