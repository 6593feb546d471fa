import { contractCall, topicOf } from '../../abi/contract-abi.ts'
import { smallIntWord, uintWord } from '../../abi/words.ts'
import type { Hex, Log } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import type { InitializeEvent } from '../../pool-event.ts'
import type { ConcentratedState, MovingFee } from '../../pool-state.ts'
import { idOf, isMovingFee, managedPlace } from '../managed-pool.ts'
import { type CallResults, NO_REFERENCES, type Protocol, type StateReading } from '../protocol.ts'
import {
  concentratedChange,
  decodeManagedSwap,
  decodeModifyLiquidity,
  decodeProtocolFee,
  MODIFY_LIQUIDITY,
  PROTOCOL_FEE_UPDATED,
} from '../uniswap-v4/manager-events.ts'
import { feeWithShares, managerStorage } from '../uniswap-v4/state.ts'
import {
  canHooksMoveAmounts,
  DYNAMIC_LP_FEE_UPDATED,
  decodeDynamicFee,
  keyCall,
  keyFromManager,
  keyInLog,
  proveInfinityPool,
} from './key.ts'

const GET_SLOT0 = contractCall<[sqrtPriceX96: bigint, tick: bigint, shares: bigint, fee: bigint]>(
  'function getSlot0(bytes32) view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee)',
)

/** From `forge inspect CLPoolManager storage` of infinity-core. A pool's fields are those of Uniswap V4. */
const POOLS_SLOT = 4
const STORAGE = managerStorage(POOLS_SLOT)

/**
 * Reads the manager's storage; the maths is Uniswap V4's (infinity-core CLPool.swap, SwapMath, ProtocolFeeLibrary). New
 * pools are read first, because the manager gives them a protocol fee without an event. Forks with another storage
 * layout are not quoted.
 */
const INFINITY_CL_STATE: StateReading = {
  *steps(pool) {
    const view = { to: pool.dex.factory, data: GET_SLOT0.data(idOf(pool.address)) }
    return readState(pool, yield [keyCall(pool.address, pool.dex), view, ...STORAGE.calls(pool)])
  },
  beginsRead: true,
  ticks: STORAGE.ticks,
}

function readState(pool: Pool, [ofKey, ofView, ...ofStorage]: CallResults): ConcentratedState | null {
  const key = keyFromManager(pool.address, pool.dex, ofKey)
  const view = GET_SLOT0.read(ofView)
  const stored = STORAGE.read(ofStorage)
  if (key === null || view === null || stored === null || canHooksMoveAmounts(key)) return null
  const { sqrtPriceX96, tick, liquidity, shares, fee } = stored
  if (String(view) !== String([sqrtPriceX96, tick, shares, fee])) return null
  const state = { kind: 'concentrated', sqrtPriceX96, tick, liquidity } as const
  if (!isMovingFee(key.fee)) return key.fee === fee ? { ...state, ...feeWithShares(fee, shares) } : null
  const moving: MovingFee = { zeroForOne: fee, oneForZero: fee, exact: fee < MILLION }
  return { ...state, fee: feeWithShares(fee, shares).fee ?? moving }
}

const MILLION = 1_000_000

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
