import { addressWord, uintWord } from '../../abi/words.ts'
import type { Hex } from '../../chain.ts'
import type { Venue } from '../protocol.ts'
import { type SettledTrade, settledVenue } from '../settled-venue.ts'
import deployments from './deployments.json' with { type: 'json' }

const SWAP =
  'event Swap(uint256 indexed nonce, uint256 timestamp, address indexed signerWallet, address signerToken, uint256 signerAmount, uint256 protocolFee, address indexed senderWallet, address senderToken, uint256 senderAmount)'
const SWAP_ERC20 =
  'event SwapERC20(uint256 indexed nonce, address indexed signerWallet, address signerToken, uint256 signerAmount, uint256 protocolFee, address indexed senderWallet, address senderToken, uint256 senderAmount)'

const airswap = settledVenue({
  kind: 'airswap',
  about: {
    name: 'AirSwap: Light, Swap from V3, SwapERC20 before 4.3',
    verifiedBy: 'the configured contract is the emitter',
    notCovered: 'SwapERC20 from 4.3, whose event names no tokens; Swap V2; orders of items',
  },
  events: { [SWAP]: ({ data }) => airswapTrade(data, 1), [SWAP_ERC20]: ({ data }) => airswapTrade(data, 0) },
})

function airswapTrade(data: Hex, first: number): SettledTrade {
  return {
    sold: addressWord(data, first + 3),
    soldAmount: uintWord(data, first + 4),
    bought: addressWord(data, first),
    boughtAmount: uintWord(data, first + 1),
  }
}

export const venue: Venue = { protocols: [airswap], deployments }
