import { contractCall } from '../../abi/contract-call.ts'
import type { Pool } from '../../pool.ts'
import type { ConcentratedState, MovingFee } from '../../pool-state.ts'
import { idOf, isMovingFee } from '../managed-pool.ts'
import type { CallResults, StateReading } from '../protocol.ts'
import { feeWithShares, managerStorage } from '../uniswap-v4/state.ts'
import { canHooksMoveAmounts, keyCall, keyFromManager } from './key.ts'

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
export const INFINITY_CL_STATE: StateReading = {
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
