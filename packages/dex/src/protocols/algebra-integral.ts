import { hasWords, uintWord } from '../abi-words.ts'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import type { FeeEvent } from '../pool-event.ts'
import { ALGEBRA_LIST_IDENTITY, ALGEBRA_LIST_TICKS } from './algebra-v1.9.ts'
import { algebraV1, feeEvent, GLOBAL_STATE, LIQUIDITY, readAlgebraState } from './algebra-v1.ts'
import type { Protocol } from './protocol.ts'
import { decodeBurn, decodeConcentratedSwap } from './uniswap-v3.ts'

/** Swap(…as Uniswap V3…, uint24 overrideFee, uint24 pluginFee); @cryptoalgebra/integral-core 1.2.10 has V3's instead */
const SWAP: Hex = '0x121cb44ee54098b1a04743c487e7460d8dd429b27f88b1f4d4767396e1a59f79'
/** Burn(…as Uniswap V3…, uint24 pluginFee), of the pools with that Swap */
const BURN: Hex = '0x932214d4a69c27c086643126ed97c32681da179064c678836c173f99bd13ca01'
/** PluginConfig(uint8 newPluginConfig) */
const PLUGIN_CONFIG: Hex = '0x3a6271b36c1b44bd6a0a0d56230602dc6919b7c17af57254306fadf5fee69dc3'

/** Plugins.BEFORE_SWAP_FLAG: the plugin may put a fee of its own in the place of the pool's, or on top of it. */
const BEFORE_SWAP = 1n
/** Position of pluginConfig in globalState() */
const CONFIG_WORD = 3

/**
 * Algebra Integral (QuickSwap V4): a pool may have a plugin, a contract that is asked before each swap what fee to take.
 * Such a pool's trades are read, but it is not quoted. Custom pools, several of two tokens, are named by the factory to
 * who knows their deployer only, which they do not tell: they are not read.
 */
export const algebraIntegral: Protocol = {
  ...algebraV1,
  kind: 'algebra-integral',
  events: {
    ...algebraV1.events,
    [SWAP]: (log) => decodeConcentratedSwap(log, 7),
    [BURN]: (log) => decodeBurn(log, 4),
    [PLUGIN_CONFIG]: decodePluginConfig,
  },
  priceTopics: [...algebraV1.priceTopics, SWAP],
  identity: ALGEBRA_LIST_IDENTITY,
  state: {
    beginsRead: true,
    questions: ({ address }) => [GLOBAL_STATE, LIQUIDITY].map((data) => ({ to: address, data })),
    read: (_pool, answers) => {
      const state = readAlgebraState(answers, { words: 6, feeWord: 2 })
      const config = answers[0] ? uintWord(answers[0], CONFIG_WORD) : null
      return state === null || config === null || (config & BEFORE_SWAP) !== 0n ? null : state
    },
    ticks: ALGEBRA_LIST_TICKS,
  },
}

function decodePluginConfig(log: Log): FeeEvent | null {
  const { data, topics } = log
  if (topics.length !== 1 || !hasWords(data, 1)) return null
  return feeEvent(log, { exact: (uintWord(data, 0) & BEFORE_SWAP) === 0n })
}
