import type { Log } from '../../chain/block.ts'
import type { TouchEvent } from '../../pool-event.ts'
import type { EventDecoder } from '../protocol.ts'

const LIQUIDITY = [
  'event AddLiquidity(address indexed provider, uint256[2] amounts, uint256[2] fees, uint256 invariant, uint256 supply)',
  'event AddLiquidity(address indexed provider, uint256[3] amounts, uint256[3] fees, uint256 invariant, uint256 supply)',
  'event AddLiquidity(address indexed provider, uint256[4] amounts, uint256[4] fees, uint256 invariant, uint256 supply)',
  'event AddLiquidity(address indexed provider, uint256[] amounts, uint256[] fees, uint256 invariant, uint256 supply)',
  'event RemoveLiquidity(address indexed provider, uint256[2] amounts, uint256[2] fees, uint256 supply)',
  'event RemoveLiquidity(address indexed provider, uint256[3] amounts, uint256[3] fees, uint256 supply)',
  'event RemoveLiquidity(address indexed provider, uint256[4] amounts, uint256[4] fees, uint256 supply)',
  'event RemoveLiquidity(address indexed provider, uint256[] amounts, uint256[] fees, uint256 supply)',
  'event RemoveLiquidityImbalance(address indexed provider, uint256[2] amounts, uint256[2] fees, uint256 invariant, uint256 supply)',
  'event RemoveLiquidityImbalance(address indexed provider, uint256[3] amounts, uint256[3] fees, uint256 invariant, uint256 supply)',
  'event RemoveLiquidityImbalance(address indexed provider, uint256[4] amounts, uint256[4] fees, uint256 invariant, uint256 supply)',
  'event RemoveLiquidityImbalance(address indexed provider, uint256[] amounts, uint256[] fees, uint256 invariant, uint256 supply)',
  'event RemoveLiquidityOne(address indexed provider, uint256 shares, uint256 amount)',
  // PancakeSwap emits this event too, with the coin's index first.
  'event RemoveLiquidityOne(address indexed provider, uint256 shares, uint256 amount, uint256 supply)',
  'event RemoveLiquidityOne(address indexed provider, int128 coin, uint256 shares, uint256 amount, uint256 supply)',
]

const PARAMETERS = [
  'event RampA(uint256 oldA, uint256 newA, uint256 begins, uint256 ends)',
  'event StopRampA(uint256 a, uint256 time)',
  'event NewFee(uint256 fee, uint256 adminFee)',
  'event NewFee(uint256 fee, uint256 adminFee, uint256 offPegMultiplier)',
  'event ApplyNewFee(uint256 fee)',
  'event ApplyNewFee(uint256 fee, uint256 offPegMultiplier)',
  'event NewParameters(uint256 a, uint256 fee, uint256 adminFee)',
]

const FORKS = [
  'event AddLiquidity(address indexed provider, uint256[2] amounts, uint256[2] fees, uint256 invariant, uint256 supply, uint256 adminFee)',
  'event RemoveLiquidityImbalance(address indexed provider, uint256[2] amounts, uint256[2] fees, uint256 invariant, uint256 supply, uint256 adminFee)',
  'event RemoveLiquidityOne(address indexed provider, uint256 coin, uint256 shares, uint256 amount, uint256 fee, uint256 adminFee)',
  'event DonateAdminFees()',
  'event Kill()',
  'event Unkill()',
  'event Paused(address account)',
  'event Unpaused(address account)',
  'event ChangePriceDiffThreshold(uint256 threshold0, uint256 threshold1)',
  'event SetSkipPriceDiff(bool skips)',
  'event ChangeOracle(address oracle)',
]

export const STABLE_TOUCHES: Readonly<Record<string, EventDecoder>> = touches([...LIQUIDITY, ...PARAMETERS, ...FORKS])

export function touches(events: readonly string[]): Record<string, EventDecoder> {
  return Object.fromEntries(events.map((event) => [event, decodeTouch]))
}

function decodeTouch({ address: pool, transactionIndex, logIndex }: Log): TouchEvent {
  return { type: 'touch', family: 'curve', pool, transactionIndex, logIndex }
}
