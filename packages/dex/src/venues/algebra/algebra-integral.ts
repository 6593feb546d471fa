import { topicOf } from '../../abi/fragment.ts'
import { uintWord } from '../../abi/words.ts'
import type { Protocol } from '../protocol.ts'
import { decodeBurn, decodeConcentratedSwap } from '../uniswap-v3/uniswap-v3.ts'
import { ALGEBRA_LIST_IDENTITY, ALGEBRA_LIST_TICKS } from './algebra-v1.9.ts'
import { algebraV1, feeEvent, GLOBAL_STATE, LIQUIDITY, readAlgebraState } from './algebra-v1.ts'

/** @cryptoalgebra/integral-core 1.2.10 emits Uniswap V3's Swap instead. */
const SWAP =
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick, uint24 overrideFee, uint24 pluginFee)'
const BURN =
  'event Burn(address indexed owner, int24 indexed bottomTick, int24 indexed topTick, uint128 liquidityAmount, uint256 amount0, uint256 amount1, uint24 pluginFee)'
const PLUGIN_CONFIG = 'event PluginConfig(uint8 newPluginConfig)'

/** Plugins.BEFORE_SWAP_FLAG: the plugin may replace or raise the pool's fee. */
const BEFORE_SWAP = 1n
const CONFIG_WORD = 3

/** Custom pools cannot be verified: the factory finds them by their deployer, which the pools do not reveal. */
export const algebraIntegral: Protocol = {
  ...algebraV1,
  kind: 'algebra-integral',
  about: {
    name: 'Algebra Integral (QuickSwap V4, THENA Integral, W-DEX)',
    verifiedBy: 'as Algebra V1',
    notCovered: 'custom pools; quotes of pools whose plugin is called before swaps',
  },
  entry: { verifying: 'factory', others: ['poolDeployer'] },
  events: {
    ...algebraV1.events,
    [SWAP]: decodeConcentratedSwap,
    [BURN]: decodeBurn,
    [PLUGIN_CONFIG]: (log) => feeEvent(log, { exact: (uintWord(log.data, 0) & BEFORE_SWAP) === 0n }),
  },
  referenceTopics: [...algebraV1.referenceTopics, topicOf(SWAP), topicOf(BURN)],
  identity: ALGEBRA_LIST_IDENTITY,
  state: {
    beginsRead: true,
    *steps({ address }) {
      const results = yield [GLOBAL_STATE, LIQUIDITY].map((data) => ({ to: address, data }))
      const state = readAlgebraState(results, { words: 6, feeWord: 2 })
      const config = results[0] ? uintWord(results[0], CONFIG_WORD) : null
      return state === null || config === null || (config & BEFORE_SWAP) !== 0n ? null : state
    },
    ticks: ALGEBRA_LIST_TICKS,
  },
}
