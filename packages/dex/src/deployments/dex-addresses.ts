import type { AddressField, DexKind } from '../pool.ts'

interface DexAddresses {
  /** Field of the contract that verifies pools; null if any of the other contracts does. */
  verifying: AddressField | null
  others: readonly AddressField[]
}

const FACTORY: DexAddresses = { verifying: 'factory', others: [] }
/** The contract that settles trades and emits their tokens. */
const EXCHANGE: DexAddresses = { verifying: 'exchange', others: [] }
const ALGEBRA: DexAddresses = { verifying: 'factory', others: ['poolDeployer'] }

export const DEX_ADDRESSES: Record<DexKind, DexAddresses> = {
  'uniswap-v2': FACTORY,
  'uniswap-v3': FACTORY,
  'pancakeswap-v3': { verifying: 'factory', others: ['poolDeployer'] },
  'uniswap-v4': { verifying: 'poolManager', others: ['stateView', 'positionManager'] },
  'algebra-v1': ALGEBRA,
  'algebra-v1.9': ALGEBRA,
  'algebra-integral': ALGEBRA,
  'pancakeswap-infinity-cl': { verifying: 'clPoolManager', others: ['vault', 'clPositionManager'] },
  'pancakeswap-infinity-bin': { verifying: 'binPoolManager', others: ['vault', 'binPositionManager', 'binQuoter'] },
  // Curve has one factory per generation of pools; the address provider leads to the pools before the factories.
  curve: {
    verifying: 'factory',
    others: [
      'addressProvider',
      'crvusdFactory',
      'cryptoFactory',
      'stableNgFactory',
      'twocryptoFactory',
      'tricryptoFactory',
    ],
  },
  'balancer-v2': { verifying: 'vault', others: [] },
  'balancer-v3': { verifying: 'vault', others: ['router'] },
  // DODO has one factory per type of pool and replaces them from time to time; an entry may have any of them.
  dodo: { verifying: null, others: ['factory', 'dvmFactory', 'dppFactory', 'dspFactory', 'gspFactory'] },
  'balancer-v1': FACTORY,
  'maverick-v1': FACTORY,
  'maverick-v2': FACTORY,
  fluid: { verifying: 'factory', others: ['resolver'] },
  solidly: FACTORY,
  'solidly-v3': FACTORY,
  'algebra-directional': FACTORY,
  'liquidity-book': FACTORY,
  'kyberswap-classic': FACTORY,
  'maker-psm': { verifying: 'psm', others: [] },
  hashflow: { verifying: 'router', others: [] },
  zeroex: EXCHANGE,
  'bancor-v2': EXCHANGE,
  'bancor-v3': EXCHANGE,
  carbon: EXCHANGE,
  tokenlon: EXCHANGE,
  woofi: EXCHANGE,
  'kyberswap-elastic': FACTORY,
  'zeroex-exchange': EXCHANGE,
  airswap: EXCHANGE,
  'market-maker': EXCHANGE,
  metric: FACTORY,
  'velodrome-v2': FACTORY,
  'euler-swap': FACTORY,
  'fluid-lite': { verifying: 'exchange', others: ['resolver'] },
  ekubo: { verifying: 'core', others: [] },
}
