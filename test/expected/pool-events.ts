import type { RecordedLog } from './chain-record.ts'
import { eventInterface } from './event-interface.ts'

const PAIR = eventInterface([
  'event Swap(address indexed sender, uint amount0In, uint amount1In, uint amount0Out, uint amount1Out, address indexed to)',
  'event Sync(uint112 reserve0, uint112 reserve1)',
])
const UNISWAP_V3 = eventInterface([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
])
const PANCAKE_V3 = eventInterface([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)',
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
])
const LIQUIDITY = eventInterface([
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
])
const FACES = { 'uniswap-v2': PAIR, 'uniswap-v3': UNISWAP_V3, 'pancakeswap-v3': PANCAKE_V3 }

export interface VerifiedPool {
  address: string
  kind: 'uniswap-v2' | 'uniswap-v3' | 'pancakeswap-v3'
  dex: string
  token0: string
  token1: string
  /** In millionths. */
  fee: number
}

export function isPoolEvent({ topics: [topic = '0x'] }: RecordedLog): boolean {
  return Object.values(FACES).some((face) => face.getEvent(topic) !== null)
}

/** Returns what a swap added to the pool's balances and which account it paid. Null if the log is not a swap. */
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

export type PoolUpdate =
  | { block: number; timestamp: number; type: 'pair'; reserve0: bigint; reserve1: bigint }
  | { block: number; timestamp: number; type: 'swap'; root: bigint; liquidity: bigint; tick: number }
  | { block: number; timestamp: number; type: 'liquidity'; lower: number; upper: number; delta: bigint }

export function parseUpdate(
  pool: VerifiedPool,
  log: RecordedLog,
  at: { block: number; timestamp: number },
): PoolUpdate | null {
  const event = FACES[pool.kind].parseLog(log) ?? (pool.kind === 'uniswap-v2' ? null : LIQUIDITY.parseLog(log))
  const value = (name: string): bigint => event?.args.getValue(name)
  switch (event?.name) {
    case 'Sync':
      return { ...at, type: 'pair', reserve0: value('reserve0'), reserve1: value('reserve1') }
    case 'Swap':
      if (pool.kind === 'uniswap-v2') return null
      return {
        ...at,
        type: 'swap',
        root: value('sqrtPriceX96'),
        liquidity: value('liquidity'),
        tick: Number(value('tick')),
      }
    case 'Mint':
    case 'Burn':
      return {
        ...at,
        type: 'liquidity',
        lower: Number(value('tickLower')),
        upper: Number(value('tickUpper')),
        delta: event.name === 'Mint' ? value('amount') : -value('amount'),
      }
    default:
      return null
  }
}
