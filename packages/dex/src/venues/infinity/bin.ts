import { intWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { CreatedEvent, SwapEvent, TouchEvent } from '../../pool-event.ts'
import { managedPlace } from '../managed-pool.ts'
import { NO_REFERENCES, type Protocol } from '../protocol.ts'
import { decodeProtocolFee, PROTOCOL_FEE_UPDATED } from '../uniswap-v4/venue.ts'
import { infinityBin } from './bin-quote.ts'
import { INFINITY_BIN_STATE } from './bin-state.ts'
import { DYNAMIC_LP_FEE_UPDATED, decodeDynamicFee, keyInLog, proveInfinityPool } from './key.ts'

const SWAP =
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 activeId, uint24 fee, uint16 protocolFee)'
const INITIALIZE =
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint24 activeId)'

export const MINT =
  'event Mint(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[] amounts, bytes32 compositionFeeAmount, bytes32 feeAmountToProtocol)'
export const BURN =
  'event Burn(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[] amounts)'
export const DONATE =
  'event Donate(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 binId)'

/** PancakeSwap Infinity, bin pools. */
export const pancakeswapInfinityBin: Protocol = {
  kind: 'pancakeswap-infinity-bin',
  family: 'managed',
  entry: { verifying: 'binPoolManager', others: ['vault', 'binPositionManager', 'binQuoter'], deploymentBlock: true },
  events: {
    [SWAP]: decodeSwap,
    [INITIALIZE]: decodeInitialize,
    [MINT]: decodeTouch,
    [BURN]: decodeTouch,
    [DONATE]: decodeTouch,
    [PROTOCOL_FEE_UPDATED]: decodeProtocolFee,
    [DYNAMIC_LP_FEE_UPDATED]: decodeDynamicFee,
  },
  identity: { by: 'proof', prove: (candidate, dex) => proveInfinityPool(candidate, dex, INITIALIZE, () => null) },
  state: INFINITY_BIN_STATE,
  formulas: [infinityBin],
  // As of concentrated pools.
  canHooksMoveAmounts: () => false,
  ...NO_REFERENCES,
}

/** The manager reports amounts from the swapper's side (paid: negative); our events are from the pool's side. */
function decodeSwap(log: Log): SwapEvent {
  const [amount0, amount1] = [-intWord(log.data, 0), -intWord(log.data, 1)]
  return { type: 'swap', ...managedPlace(log), amount0, amount1, state: null }
}

function decodeTouch(log: Log): TouchEvent {
  return { type: 'touch', ...managedPlace(log) }
}

function decodeInitialize(log: Log): CreatedEvent {
  return { type: 'created', ...managedPlace(log), key: keyInLog(log, () => null) }
}
