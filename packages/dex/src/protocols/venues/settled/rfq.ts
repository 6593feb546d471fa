import { contractCall } from '../../../abi/contract-call.ts'
import { addressWord, uintWord } from '../../../abi/words.ts'
import type { Log } from '../../../chain/block.ts'
import type { Hex } from '../../../chain/hex.ts'
import { type SettledTrade, settledVenue } from './settled-venue.ts'

const SWAP =
  'event Swap(uint256 indexed nonce, uint256 timestamp, address indexed signerWallet, address signerToken, uint256 signerAmount, uint256 protocolFee, address indexed senderWallet, address senderToken, uint256 senderAmount)'
const SWAP_ERC20 =
  'event SwapERC20(uint256 indexed nonce, address indexed signerWallet, address signerToken, uint256 signerAmount, uint256 protocolFee, address indexed senderWallet, address senderToken, uint256 senderAmount)'

/**
 * AirSwap's contracts for ERC-20: Light, Swap from V3, SwapERC20 before 4.3 (later events have no tokens). The sender
 * sells what the signer requests.
 */
export const airswap = settledVenue({
  kind: 'airswap',
  events: { [SWAP]: ({ data }) => airswapTrade(data, 1), [SWAP_ERC20]: ({ data }) => airswapTrade(data, 0) },
})

/** Both events contain the signer's token and amount, a fee, and the sender's token and amount. */
function airswapTrade(data: Hex, first: number): SettledTrade {
  return {
    sold: addressWord(data, first + 3),
    soldAmount: uintWord(data, first + 4),
    bought: addressWord(data, first),
    boughtAmount: uintWord(data, first + 1),
  }
}

const TRADE =
  'event Trade(address trader, address effectiveTrader, bytes32 txid, address baseToken, address quoteToken, uint256 baseTokenAmount, uint256 quoteTokenAmount)'
/** Of older pools: with the pool and the fees. */
const TRADE_WITH_FEES =
  'event Trade(address pool, address trader, bytes32 txid, address baseToken, address quoteToken, uint256 baseTokenAmount, uint256 quoteTokenAmount, uint256 fees)'

/** Trades of Hashflow's makers. Each maker has a contract that the router has authorised. Base is sold for quote. */
export const hashflow = settledVenue({
  kind: 'hashflow',
  events: { [TRADE]: hashflowTrade, [TRADE_WITH_FEES]: hashflowTrade },
  isListed: contractCall('function authorizedPools(address pool) view returns (bool)'),
})

/** Both events begin with the same fields. */
function hashflowTrade({ data }: Log): SettledTrade {
  return {
    sold: addressWord(data, 3),
    soldAmount: uintWord(data, 5),
    bought: addressWord(data, 4),
    boughtAmount: uintWord(data, 6),
  }
}

const FILLED =
  'event FillOrder(string source, bytes32 indexed transactionHash, bytes32 indexed orderHash, address indexed userAddr, address takerAssetAddr, uint256 takerAssetAmount, address makerAddr, address makerAssetAddr, uint256 makerAssetAmount, address receiverAddr, uint256 settleAmount, uint16 feeFactor)'

/** Orders of makers that Tokenlon's PMM and RFQ contracts fill; the fee is taken from what the maker has paid. */
export const tokenlon = settledVenue({
  kind: 'tokenlon',
  events: {
    [FILLED]: ({ data }) => ({
      sold: addressWord(data, 1),
      soldAmount: uintWord(data, 2),
      bought: addressWord(data, 4),
      boughtAmount: uintWord(data, 5),
    }),
  },
})
