import type { EventDecoder } from '../protocol.ts'
import { touches } from './curve-touches.ts'

/** First generation, pools of two and three coins. Removals in one coin share StableSwap's topics. */
const FIRST = [
  'event AddLiquidity(address indexed provider, uint256[2] amounts, uint256 fee, uint256 supply)',
  'event AddLiquidity(address indexed provider, uint256[3] amounts, uint256 fee, uint256 supply)',
  'event RemoveLiquidity(address indexed provider, uint256[2] amounts, uint256 supply)',
  'event RemoveLiquidity(address indexed provider, uint256[3] amounts, uint256 supply)',
  'event ClaimAdminFee(address indexed admin, uint256 shares)',
  // Twocrypto 2.0.0 emits this event too, with the fees first.
  'event NewParameters(uint256 adminFee, uint256 midFee, uint256 outFee, uint256 feeGamma, uint256 allowedExtraProfit, uint256 adjustmentStep, uint256 halfTime)',
]

const NG = [
  'event AddLiquidity(address indexed provider, uint256[2] amounts, uint256 fee, uint256 supply, uint256 priceScale)',
  'event AddLiquidity(address indexed provider, uint256[3] amounts, uint256 fee, uint256 supply, uint256 priceScale)',
  'event ClaimAdminFee(address indexed admin, uint256[2] amounts)',
  'event ClaimAdminFee(address indexed admin, uint256[3] amounts)',
  'event NewParameters(uint256 midFee, uint256 outFee, uint256 feeGamma, uint256 allowedExtraProfit, uint256 adjustmentStep, uint256 averagingTime)',
]

const DONATED = [
  'event AddLiquidity(address indexed provider, address indexed receiver, uint256[2] amounts, uint256 fee, uint256 supply, uint256 priceScale)',
  'event Donation(address indexed donor, uint256[2] amounts)',
  'event RemoveLiquidityImbalance(address indexed provider, uint256 shares, uint256[2] amounts, uint256 fee, uint256 priceScale)',
  'event SetPeriphery(address views, address math)',
  'event SetPolicyContract(address policy)',
]

const RAMPS = [
  'event RampAgamma(uint256 initialA, uint256 futureA, uint256 initialGamma, uint256 futureGamma, uint256 begins, uint256 ends)',
  'event StopRampA(uint256 a, uint256 gamma, uint256 time)',
]

export const CRYPTO_TOUCHES: Readonly<Record<string, EventDecoder>> = touches([...FIRST, ...NG, ...DONATED, ...RAMPS])
