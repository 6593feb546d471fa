import { intWord, smallIntWord, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { LiquidityEvent, ProtocolFeeEvent, SwapEvent } from '../../pool-event.ts'
import { managedPlace } from '../managed-pool.ts'

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
