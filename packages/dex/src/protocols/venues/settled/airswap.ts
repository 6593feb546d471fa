import { addressWord, uintWord } from '../../../abi/words.ts'
import type { Hex } from '../../../chain/hex.ts'
import { type SettledTrade, settledVenue } from './settled-venue.ts'

const SWAP =
  'event Swap(uint256 indexed nonce, uint256 timestamp, address indexed signerWallet, address signerToken, uint256 signerAmount, uint256 protocolFee, address indexed senderWallet, address senderToken, uint256 senderAmount)'
const SWAP_ERC20 =
  'event SwapERC20(uint256 indexed nonce, address indexed signerWallet, address signerToken, uint256 signerAmount, uint256 protocolFee, address indexed senderWallet, address senderToken, uint256 senderAmount)'

/**
 * AirSwap's contracts for ERC-20 (Light, Swap from V3, SwapERC20 before 4.3, whose events name no tokens any more). The
 * sender sells what the signer has asked for.
 */
export const airswap = settledVenue({
  kind: 'airswap',
  events: { [SWAP]: ({ data }) => trade(data, 1), [SWAP_ERC20]: ({ data }) => trade(data, 0) },
})

/** Both events tell the signer's token and amount, a fee, and the sender's token and amount. */
function trade(data: Hex, first: number): SettledTrade {
  return {
    sold: addressWord(data, first + 3),
    soldAmount: uintWord(data, first + 4),
    bought: addressWord(data, first),
    boughtAmount: uintWord(data, first + 1),
  }
}
