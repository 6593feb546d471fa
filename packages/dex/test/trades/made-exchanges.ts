import type { Address, Hex, Hop, Log, Pool } from '@dexfeed/dex'
import { topicOf } from '../../src/abi/contract-abi.ts'
import { withMovedAmounts } from '../../src/trades/moved/moved-amounts.ts'
import { Ledger } from '../../src/trades/receipt/ledger.ts'
import { DEPOSIT, receiptFlows, TRANSFER, WITHDRAWAL } from '../../src/trades/receipt/receipt-flows.ts'
import { madeHop, madePool } from '../made-hop.ts'
import { topic } from '../made-log.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
export const [WETH, USDC, USDT, LP, META] = [address('11'), address('22'), address('33'), address('44'), address('55')]
export const [POOL, TRADER, OTHER] = [address('aa'), address('ee'), address('dd')]
const STABLE_EXCHANGE = topicOf(
  'event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
)
const EXCHANGE: Hex = `0x${'e0'.repeat(32)}`
/** The topic of an event that is not an exchange. */
export const ADDED: Hex = `0x${'ad'.repeat(32)}`

export const poolOf = (kind: Pool['dex']['kind'], coins: Address[], underlying?: Address[]): Pool =>
  madePool(POOL, [coins[0] ?? '0x', coins[1] ?? '0x'], {
    dex: { name: kind, kind, factory: address('ff') },
    fee: 0,
    coins,
    ...(underlying && { underlying }),
  })
const CURVE = poolOf('curve', [USDC, USDT, WETH])

/** A log in a made receipt: a transfer, an exchange, or another event. */
export type Step =
  | { moved: [Address, Address, Address, bigint] }
  | { hop: [Address, bigint, Address, bigint]; pool?: Pool; native?: 'in' | 'out' }
  | { emits: Hex; by?: Address }
  | { wrapping: Hex; by: Address; amount: bigint }
export const moved = (token: Address, from: Address, to: Address, amount: bigint): Step => ({
  moved: [token, from, to, amount],
})
/** An exchange event, by default of a Curve pool. */
export const hop = (
  sold: Address,
  amount: bigint,
  bought: Address,
  paid: bigint,
  pool?: Pool,
  native?: 'in' | 'out',
): Step => ({ hop: [sold, amount, bought, paid], ...(pool && { pool }), ...(native && { native }) })
/** Coins that an account wraps, and coins that it unwraps. */
export const wraps = (by: Address, amount: bigint): Step => ({ wrapping: DEPOSIT, by, amount })
export const unwraps = (by: Address, amount: bigint): Step => ({ wrapping: WITHDRAWAL, by, amount })
export const paysIn = (amount: bigint, token = USDC, from = TRADER) => moved(token, from, POOL, amount)
export const paysOut = (amount: bigint, token = USDT) => moved(token, POOL, TRADER, amount)

/** Returns the hops of a receipt as texts: sold and bought, with a question mark where they are unconfirmed. */
export function read(steps: readonly Step[], isStable = false): string[] {
  const hops: Hop[] = []
  const logs = steps.map((step, logIndex): Log => {
    const place = { transactionIndex: 0, logIndex }
    if ('moved' in step) {
      const [token, from, to, amount] = step.moved
      return { ...place, address: token, topics: [TRANSFER, topic(from), topic(to)], data: topic(amount) }
    }
    if ('wrapping' in step) {
      const { wrapping, by, amount } = step
      return { ...place, address: WETH, topics: [wrapping, topic(by)], data: topic(amount) }
    }
    if ('emits' in step) return { ...place, address: step.by ?? POOL, topics: [step.emits], data: '0x' }
    const [tokenIn, amountIn, tokenOut, amountOut] = step.hop
    const { pool = CURVE, native } = step
    const coins = { nativeIn: native === 'in', nativeOut: native === 'out' }
    hops.push(madeHop(logIndex, [tokenIn, amountIn], [tokenOut, amountOut], { pool, ...coins }))
    return { ...place, address: POOL, topics: [isStable ? STABLE_EXCHANGE : EXCHANGE], data: '0x' }
  })
  const read = withMovedAmounts(hops, logs, new Ledger(receiptFlows(logs, WETH), WETH))
  return read.map(({ amountIn, amountOut, isUnconfirmed }) => `${amountIn} -> ${amountOut}${isUnconfirmed ? '?' : ''}`)
}
