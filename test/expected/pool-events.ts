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

/** What the pool's balances grew by in a swap, and whom it paid; null when the log is no swap of this pool's kind. */
export function parseSwap(
  pool: VerifiedPool,
  log: RecordedLog,
): { net0: bigint; net1: bigint; recipient: string } | null {
  const event = FACES[pool.kind].parseLog(log)
  if (event?.name !== 'Swap') return null
  const amount = (name: string): bigint => event.args.getValue(name)
  return pool.kind === 'uniswap-v2'
    ? {
        net0: amount('amount0In') - amount('amount0Out'),
        net1: amount('amount1In') - amount('amount1Out'),
        recipient: String(event.args.getValue('to')).toLowerCase(),
      }
    : {
        net0: amount('amount0'),
        net1: amount('amount1'),
        recipient: String(event.args.getValue('recipient')).toLowerCase(),
      }
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
