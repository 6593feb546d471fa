import { Interface } from 'ethers'
import type { RecordedLog } from './chain-record.ts'

const PAIR = new Interface([
  'event Swap(address indexed sender, uint amount0In, uint amount1In, uint amount0Out, uint amount1Out, address indexed to)',
  'event Sync(uint112 reserve0, uint112 reserve1)',
])
const UNISWAP_V3 = new Interface([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
])
const PANCAKE_V3 = new Interface([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)',
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
])
const FACES = { 'uniswap-v2': PAIR, 'uniswap-v3': UNISWAP_V3, 'pancakeswap-v3': PANCAKE_V3 }
const WRAPPER = new Interface([
  'event Deposit(address indexed to, uint256 amount)',
  'event Withdrawal(address indexed from, uint256 amount)',
])

/** A pool that its factory verifies. Addresses are lower case. */
export interface VerifiedPool {
  address: string
  kind: 'uniswap-v2' | 'uniswap-v3' | 'pancakeswap-v3'
  dex: string
  token0: string
  token1: string
  /** Millionths. */
  fee: number
}

export function isPoolEvent(log: RecordedLog): boolean {
  return Object.values(FACES).some((face) => face.parseLog(log) !== null)
}

/** What the pool's balances grew by in a swap, [token0, token1]; null when the log is no swap of this pool's kind. */
export function parseSwap(pool: VerifiedPool, log: RecordedLog): [bigint, bigint] | null {
  const event = FACES[pool.kind].parseLog(log)
  if (event?.name !== 'Swap') return null
  const amount = (name: string): bigint => event.args.getValue(name)
  return pool.kind === 'uniswap-v2'
    ? [amount('amount0In') - amount('amount0Out'), amount('amount1In') - amount('amount1Out')]
    : [amount('amount0'), amount('amount1')]
}

export type LoggedState = { reserve0: bigint; reserve1: bigint } | { sqrtPriceX96: bigint; liquidity: bigint }

/** The state in a pool's log; null where there is none. */
export function parseState(pool: VerifiedPool, log: RecordedLog): LoggedState | null {
  const event = FACES[pool.kind].parseLog(log)
  if (event === null) return null
  const value = (name: string): bigint => event.args.getValue(name)
  if (event.name === 'Sync') return { reserve0: value('reserve0'), reserve1: value('reserve1') }
  if (pool.kind === 'uniswap-v2') return null
  return { sqrtPriceX96: value('sqrtPriceX96'), liquidity: event.name === 'Swap' ? value('liquidity') : 0n }
}

/** Amount of a deposit or withdrawal of the wrapped coin's contract; null when the log is neither. */
export function parseWrapping(log: RecordedLog): { name: string; amount: bigint } | null {
  const event = WRAPPER.parseLog(log)
  return event && { name: event.name, amount: event.args.getValue('amount') }
}
