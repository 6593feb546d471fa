import { topicOf } from '../../abi/fragment.ts'
import { hasWords, intWord, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Hex } from '../../chain/hex.ts'
import { getSqrtRatioAtTick } from '../../maths/tick-math.ts'
import type { ManagedChange } from '../protocol.ts'
import { decodeModifyLiquidity, MODIFY_LIQUIDITY } from './manager-events.ts'

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
