import { topicOf } from '../../abi/fragment.ts'
import type { Hex } from '../../chain/hex.ts'
import { addedAndRemoved, change, type LiquidityReader } from '../liquidity-change.ts'

/** Possible coin counts; '' stands for a dynamic array. */
const COIN_COUNTS = [2, 3, 4, 5, 6, 7, 8, '']

const REMOVED = [
  'event RemoveLiquidityOne(address provider, uint256 shares, uint256 amount)',
  'event RemoveLiquidityOne(address provider, uint256 shares, uint256 amount, uint256 supply)',
  'event RemoveLiquidityOne(address provider, int128 coin, uint256 shares, uint256 amount, uint256 supply)',
  'event RemoveLiquidityOne(address provider, uint256 shares, uint256 coin, uint256 amount, uint256 fee, uint256 price_scale)',
  'event RemoveLiquidityImbalance(address provider, uint256 shares, uint256[2] amounts, uint256 fee, uint256 price_scale)',
]

export const CURVE_LIQUIDITY: readonly (readonly [Hex, LiquidityReader])[] = [
  ...COIN_COUNTS.flatMap((count) => [
    ...addedAndRemoved(
      `event AddLiquidity(address provider, uint256[${count}] amounts, uint256[${count}] fees, uint256 invariant, uint256 supply)`,
      `event RemoveLiquidity(address provider, uint256[${count}] amounts, uint256[${count}] fees, uint256 supply)`,
    ),
    ...addedAndRemoved(
      `event AddLiquidity(address provider, uint256[${count}] amounts, uint256 fee, uint256 supply)`,
      `event RemoveLiquidity(address provider, uint256[${count}] amounts, uint256 supply)`,
    ),
    ...addedAndRemoved(
      `event AddLiquidity(address provider, uint256[${count}] amounts, uint256 fee, uint256 supply, uint256 price_scale)`,
      `event RemoveLiquidityImbalance(address provider, uint256[${count}] amounts, uint256[${count}] fees, uint256 invariant, uint256 supply)`,
    ),
  ]),
  ...REMOVED.map((event) => [topicOf(event), change(false)] as const),
]
