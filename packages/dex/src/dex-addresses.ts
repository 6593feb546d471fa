import type { AddressField, DexKind } from './pool.ts'

/** Which address fields an entry of a DEX kind has in a configuration. */
export interface DexAddresses {
  /** Field of the contract that vouches for pools; null where any of the others does. */
  vouching: AddressField | null
  /** Further contracts that an entry may name. */
  others: readonly AddressField[]
}

const FACTORY: DexAddresses = { vouching: 'factory', others: [] }
const ALGEBRA: DexAddresses = { vouching: 'factory', others: ['poolDeployer'] }

export const DEX_ADDRESSES: Record<DexKind, DexAddresses> = {
  'uniswap-v2': FACTORY,
  'uniswap-v3': FACTORY,
  'pancakeswap-v3': { vouching: 'factory', others: ['poolDeployer'] },
  'uniswap-v4': { vouching: 'poolManager', others: ['stateView', 'positionManager'] },
  'algebra-v1': ALGEBRA,
  'algebra-v1.9': ALGEBRA,
  'algebra-integral': ALGEBRA,
  'pancakeswap-infinity-cl': { vouching: 'clPoolManager', others: ['vault', 'clPositionManager'] },
  'pancakeswap-infinity-bin': { vouching: 'binPoolManager', others: ['vault', 'binPositionManager'] },
  // Curve has a factory per generation of pools; the address provider leads to those before the factories.
  curve: {
    vouching: 'factory',
    others: [
      'addressProvider',
      'crvusdFactory',
      'cryptoFactory',
      'stableNgFactory',
      'twocryptoFactory',
      'tricryptoFactory',
    ],
  },
  'balancer-v2': { vouching: 'vault', others: [] },
  'balancer-v3': { vouching: 'vault', others: [] },
  // DODO has a factory per type of pool and replaces them now and then; an entry may name any of them.
  dodo: { vouching: null, others: ['factory', 'dvmFactory', 'dppFactory', 'dspFactory', 'gspFactory'] },
}
