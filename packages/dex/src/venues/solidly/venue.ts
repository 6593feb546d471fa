import { contractCall, contractEvent } from '../../abi/contract-abi.ts'
import type { Address } from '../../chain.ts'
import { PAIR_TOKENS, proveListed } from '../listed-venue.ts'
import { NO_REFERENCES, type Protocol, type Venue } from '../protocol.ts'
import { dependencyTouches, touches } from '../touches.ts'
import { PAIR_SWAP, pairLiquidity, pairSwapDecoder } from '../uniswap-v2/venue.ts'
import deployments from './deployments.json' with { type: 'json' }
import { stablePair, volatilePair } from './quote.ts'
import { SOLIDLY_STATE, VELODROME_STATE } from './state.ts'

const IS_PAIR = contractCall<[boolean]>('function isPair(address) view returns (bool)')
const PAIR_CREATED = contractEvent(
  'event PairCreated(address indexed token0, address indexed token1, bool stable, address pair, uint256 count)',
  ([, , , pair]: [Address, Address, boolean, Address, bigint]) => pair,
)
/** Emitted after any change of the reserves. Its types differ from those of Uniswap V2's Sync. */
const SYNC = 'event Sync(uint256 reserve0, uint256 reserve1)'

/** Swap is Uniswap V2's event, Sync is not. Pairs do not name their factory, so the configured factory is asked. */
const solidly: Protocol = {
  kind: 'solidly',
  about: {
    name: 'Solidly V2, Thena, Dystopia',
    verifiedBy: '`isPair(pair)` of the factory',
    notCovered: null,
  },
  family: 'pair',
  events: { ...PAIR_SWAP, ...pairLiquidity(), ...touches('pair', SYNC) },
  holdsTokens: true,
  identity: { by: 'proof', prove: (candidate, dex) => proveListed(candidate, dex, IS_PAIR, PAIR_TOKENS) },
  created: [PAIR_CREATED],
  state: SOLIDLY_STATE,
  formulas: [stablePair, volatilePair],
  ...NO_REFERENCES,
}

const SWAP =
  'event Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)'
/** Mint is that of Uniswap V2. */
const BURN = 'event Burn(address indexed sender, address indexed to, uint256 amount0, uint256 amount1)'
/** Emitted by the factory for all its pools. Solidly's factories pause without an event. */
const PAUSE_SET = 'event SetPauseState(bool state)'
const POOL_CREATED = contractEvent(
  'event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count)',
  ([, , , pool]: [Address, Address, boolean, Address, bigint]) => pool,
)
const IS_POOL = contractCall<[boolean]>('function isPool(address pool) view returns (bool)')

export const VELODROME_SWAP: Protocol['events'] = { [SWAP]: pairSwapDecoder('pair') }

/** The Swap has the recipient before the amounts, which are differences of balances. */
const velodromeV2: Protocol = {
  kind: 'velodrome-v2',
  about: {
    name: 'Velodrome V2 (Topaz V2)',
    verifiedBy: '`isPool(pair)` of the factory',
    notCovered: null,
  },
  family: 'pair',
  events: {
    ...VELODROME_SWAP,
    ...pairLiquidity(BURN),
    ...touches('pair', SYNC),
    ...dependencyTouches('pair', PAUSE_SET),
  },
  dependsOn: ({ dex }) => [dex.factory],
  holdsTokens: true,
  identity: { by: 'proof', prove: (candidate, dex) => proveListed(candidate, dex, IS_POOL, PAIR_TOKENS) },
  created: [POOL_CREATED],
  state: VELODROME_STATE,
  ...NO_REFERENCES,
}

export const venue: Venue = { protocols: [solidly, velodromeV2], deployments }
