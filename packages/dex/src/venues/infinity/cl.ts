import { topicOf } from '../../abi/fragment.ts'
import { smallIntWord, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { Hex } from '../../chain/hex.ts'
import type { InitializeEvent } from '../../pool-event.ts'
import { managedPlace } from '../managed-pool.ts'
import { NO_REFERENCES, type Protocol } from '../protocol.ts'
import { concentratedChange } from '../uniswap-v4/change-beside-swaps.ts'
import {
  decodeManagedSwap,
  decodeModifyLiquidity,
  decodeProtocolFee,
  MODIFY_LIQUIDITY,
  PROTOCOL_FEE_UPDATED,
} from '../uniswap-v4/manager-events.ts'
import { INFINITY_CL_STATE } from './cl-state.ts'
import { DYNAMIC_LP_FEE_UPDATED, decodeDynamicFee, keyInLog, proveInfinityPool } from './key.ts'

const SWAP =
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee, uint16 protocolFee)'
const INITIALIZE =
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint160 sqrtPriceX96, int24 tick)'

export const pancakeswapInfinityCl: Protocol = {
  kind: 'pancakeswap-infinity-cl',
  about: {
    name: 'PancakeSwap Infinity CL, SushiSwap V4',
    verifiedBy: 'as Uniswap V4; the manager returns the key (`poolIdToPoolKey`)',
    notCovered: 'quotes if hooks are called in swaps; what hooks take or give; a pause of the manager',
  },
  family: 'managed',
  entry: { verifying: 'clPoolManager', others: ['vault', 'clPositionManager'], deploymentBlock: true },
  events: {
    [SWAP]: decodeManagedSwap,
    [INITIALIZE]: decodeInitialize,
    [MODIFY_LIQUIDITY]: decodeModifyLiquidity,
    [PROTOCOL_FEE_UPDATED]: decodeProtocolFee,
    [DYNAMIC_LP_FEE_UPDATED]: decodeDynamicFee,
  },
  identity: {
    by: 'proof',
    prove: (candidate, dex) => proveInfinityPool(candidate, dex, INITIALIZE, tickSpacingOf),
  },
  state: INFINITY_CL_STATE,
  managed: { largestChange: concentratedChange(topicOf(SWAP)) },
  // The hooks' rights are in the key, so the state reading checks them.
  canHooksMoveAmounts: () => false,
  ...NO_REFERENCES,
}

/** CLPoolParametersHelper: bits 0 to 15 are the hooks' rights, 16 to 39 the tick spacing. */
function tickSpacingOf(parameters: Hex): number {
  return Number(BigInt.asIntN(24, BigInt(parameters) >> 16n))
}

function decodeInitialize(log: Log): InitializeEvent {
  return {
    type: 'initialize',
    ...managedPlace(log),
    sqrtPriceX96: uintWord(log.data, 3),
    tick: smallIntWord(log.data, 4),
    key: keyInLog(log, tickSpacingOf),
  }
}
