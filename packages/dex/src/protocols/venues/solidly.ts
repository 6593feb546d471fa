import { contractCall } from '../../abi/contract-call.ts'
import { NO_REFERENCES, type Protocol } from '../protocol.ts'
import { PAIR_SWAP } from '../uniswap/uniswap-v2.ts'
import { PAIR_TOKENS, proveListed } from './listed-venue.ts'

const IS_PAIR = contractCall<[boolean]>('function isPair(address) view returns (bool)')

/**
 * Solidly and its forks: stable and volatile pairs. They swap by the event of Uniswap V2 and do not name their factory,
 * which is asked about them; their Sync is another.
 */
export const solidly: Protocol = {
  kind: 'solidly',
  family: 'pair',
  events: PAIR_SWAP,
  identity: { by: 'proof', prove: (candidate, dex) => proveListed(candidate, dex, IS_PAIR, PAIR_TOKENS) },
  state: null,
  ...NO_REFERENCES,
}
