import { topicOf } from '../../abi/contract-abi.ts'
import { hasWords, intWord, smallIntWord, uintWord } from '../../abi/words.ts'
import type { Hex, Log } from '../../chain.ts'
import { getSqrtRatioAtTick } from '../../maths/tick-math.ts'
import type { LiquidityEvent, ProtocolFeeEvent, SwapEvent } from '../../pool-event.ts'
import { managedPlace } from '../managed-pool.ts'
import type { ManagedChange } from '../protocol.ts'

export const MODIFY_LIQUIDITY =
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)'
export const PROTOCOL_FEE_UPDATED = 'event ProtocolFeeUpdated(bytes32 indexed id, uint24 protocolFee)'

/**
 * Decodes a Swap whose data begins with amount0, amount1, sqrtPriceX96, liquidity and tick. Amounts exclude what hooks
 * take or give. The manager reports them from the swapper's side (negative if paid), our events from the pool's.
 */
export function decodeManagedSwap(log: Log): SwapEvent {
  return {
    type: 'swap',
    ...managedPlace(log),
    amount0: -intWord(log.data, 0),
    amount1: -intWord(log.data, 1),
    state: {
      kind: 'concentrated',
      sqrtPriceX96: uintWord(log.data, 2),
      liquidity: uintWord(log.data, 3),
      tick: smallIntWord(log.data, 4),
    },
  }
}

export function decodeModifyLiquidity(log: Log): LiquidityEvent {
  return {
    type: 'liquidity',
    ...managedPlace(log),
    tickLower: smallIntWord(log.data, 0),
    tickUpper: smallIntWord(log.data, 1),
    delta: intWord(log.data, 2),
  }
}

export function decodeProtocolFee(log: Log): ProtocolFeeEvent {
  return { type: 'protocol-fee', ...managedPlace(log), protocolFee: smallIntWord(log.data, 0) }
}

const MODIFY = topicOf(MODIFY_LIQUIDITY)
const DONATIONS: ReadonlySet<Hex> = new Set(
  [
    'event Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1)',
    'event Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1, int24 tick)',
  ].map(topicOf),
)
const MILLION = 1_000_000n
const Q96_BITS = 96n

/**
 * Bounds the change of a concentrated pool inside a manager (Uniswap V4, Infinity); see `ManagedChanges.largestChange`.
 * Managers report liquidity without amounts, but a range holds most of a token when it holds none of the other. Fees
 * come from the swap events of the transaction: earlier fees cannot be lent, so they do not count.
 * @param swap the topic of swaps, whose sixth word is the fee in millionths and whose seventh is Infinity's protocol
 * fee
 */
export function concentratedChange(swap: Hex): (change: ManagedChange) => bigint {
  return ({ pool, token, wasPaidIn, ofPool }) => {
    // Native coin is always token0 and counts as its wrapper.
    const side = pool.token1 === token ? 1 : 0
    let change = 0n
    let fees = 0n
    let areFeesCollected = false
    for (const log of ofPool) {
      const [topic = '0x'] = log.topics
      if (topic === MODIFY) {
        areFeesCollected = true
        const { tickLower, tickUpper, delta } = decodeModifyLiquidity(log)
        if (delta !== 0n && delta < 0n === wasPaidIn) {
          change += largestAmount(delta < 0n ? -delta : delta, tickLower, tickUpper, side)
        }
      } else if (DONATIONS.has(topic)) change += uintWord(log.data, side)
      else if (topic === swap) fees += feeOf(log, side)
    }
    return wasPaidIn && areFeesCollected ? change + fees : change
  }
}

/** Returns how much of a token the liquidity holds where it holds none of the other, rounded up. */
function largestAmount(liquidity: bigint, tickLower: number, tickUpper: number, side: 0 | 1): bigint {
  const low = getSqrtRatioAtTick(tickLower)
  const high = getSqrtRatioAtTick(tickUpper)
  const product = liquidity * (high - low)
  return (side === 1 ? product >> Q96_BITS : (product << Q96_BITS) / (low * high)) + 1n
}

/** Returns the most that a swap paid as fees in a token. In the log, the swapper's payments are negative. */
function feeOf({ data }: Log, side: 0 | 1): bigint {
  const paid = -intWord(data, side)
  if (paid <= 0n) return 0n
  const millionths = uintWord(data, 5) + (hasWords(data, 7) ? uintWord(data, 6) : 0n)
  return (paid * millionths) / MILLION + 1n
}
