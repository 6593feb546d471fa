import { id } from 'ethers'
import type { RecordedLog } from '../chain-record.ts'
import type { Hop } from './receipt/hops.ts'
import type { Move } from './receipt/moves-in-logs.ts'
import { type Receipt, WORD } from './receipt/receipt.ts'

const OWN_SHARES = [id('Transfer(address,address,uint256)'), id('Approval(address,address,uint256)')]
const ZERO = `0x${'00'.repeat(20)}`
/** Rounding error of tokens that store shares. */
const ROUNDING = 2n

interface Compared {
  amount: bigint
  isConfirmed: boolean
}

/** Replaces the amounts of Curve pools, whose events may only repeat the caller's, with those of the transfers. */
export function withMovedAmounts(hops: readonly Hop[], receipt: Receipt): Hop[] {
  const doubtful = new Set<string>()
  return hops.map((hop) => {
    if (hop.pool.kind !== 'curve') return hop
    const sold = soldBy(hop, hops, receipt)
    const bought = boughtBy(hop, receipt)
    const key = `${hop.pool.address} ${hop.tokenIn}`
    const isUnconfirmed = !sold.isConfirmed || !bought.isConfirmed || doubtful.has(key)
    if (!sold.isConfirmed) doubtful.add(key)
    return { ...hop, amountIn: sold.amount, amountOut: bought.amount, isUnconfirmed }
  })
}

function soldBy(hop: Hop, hops: readonly Hop[], receipt: Receipt): Compared {
  const { pool, tokenIn, amountIn: stated, coinIn, logIndex } = hop
  if (coinIn) return { amount: stated, isConfirmed: true }
  const isSame = (hop: Hop) => hop.pool.address === pool.address && hop.tokenIn === tokenIn
  const since = hops.findLast((hop) => isSame(hop) && hop.logIndex < logIndex)?.logIndex ?? -1
  const came = transfers(receipt, { token: tokenIn, since, until: logIndex }).filter(({ to }) => to === pool.address)
  const interest = sum(came.filter(({ from }) => from === ZERO))
  const paid = sum(came) - (100n * interest <= stated ? interest : 0n)
  const hopLogs = hops.map((hop) => hop.logIndex)
  const others = eventsOf(pool.address, receipt).filter(({ index }) => {
    return since < index && index < logIndex && !hopLogs.includes(index)
  })
  return compared(hop, { stated, moved: paid, token: tokenIn, isUnclear: others.length > 0 }, receipt)
}

function boughtBy(hop: Hop, receipt: Receipt): Compared {
  const { pool, tokenOut: token, amountOut: stated, coinOut, logIndex } = hop
  if (coinOut) return { amount: stated, isConfirmed: true }
  const since = eventsOf(pool.address, receipt).findLast(({ index }) => index < logIndex)?.index ?? -1
  const left = transfers(receipt, { token, since, until: logIndex }).filter(({ from }) => from === pool.address)
  if (left.some(({ amount }) => amount === stated)) return { amount: stated, isConfirmed: true }
  return compared(hop, { stated, moved: sum(left), token, isUnclear: false }, receipt)
}

function compared(
  { isCrypto }: Hop,
  { stated, moved, token, isUnclear }: { stated: bigint; moved: bigint; token: string; isUnclear: boolean },
  { wrappedNative }: Receipt,
): Compared {
  if (moved === 0n) return { amount: stated, isConfirmed: isCrypto && token === wrappedNative }
  const off = moved > stated ? moved - stated : stated - moved
  if (off <= ROUNDING) return { amount: stated, isConfirmed: true }
  return { amount: isUnclear || moved > WORD ? stated : moved, isConfirmed: false }
}

function eventsOf(pool: string, { logs }: Receipt): RecordedLog[] {
  return logs.filter(({ address, topics }) => address === pool && !OWN_SHARES.includes(topics[0] ?? ''))
}

function transfers({ moves }: Receipt, { token, since, until }: { token: string; since: number; until: number }) {
  return moves.filter((move) => {
    return move.token === token && move.from !== move.to && since < move.logIndex && move.logIndex < until
  })
}

function sum(moves: readonly Move[]): bigint {
  return moves.reduce((all, { amount }) => all + amount, 0n)
}
