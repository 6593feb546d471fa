import type { NetworkShape } from '../../presets.ts'
import type { Market } from './market.ts'

const PAIR_FEE_BPS = 25

/** The network's part of a DEX_CONFIG file. */
export function deploymentOf({ wrappedNative, stablecoins, factories }: Market, { finalityDepth }: NetworkShape) {
  return {
    wrappedNative: wrappedNative.address,
    stablecoins: stablecoins.map(({ address }) => address),
    dexes: [
      { name: 'uniswap-v2', kind: 'uniswap-v2', factory: factories['uniswap-v2'], feeBps: PAIR_FEE_BPS },
      { name: 'uniswap-v3', kind: 'uniswap-v3', factory: factories['uniswap-v3'] },
      { name: 'pancakeswap-v3', kind: 'pancakeswap-v3', factory: factories['pancakeswap-v3'] },
    ],
    tokens: [wrappedNative, ...stablecoins].map(({ address, symbol, decimals }) => {
      return { address, symbol, name: symbol, decimals }
    }),
    finalityDepth,
  }
}
