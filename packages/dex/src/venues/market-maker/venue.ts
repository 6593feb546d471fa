import { addressTopic, addressWord, uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain.ts'
import type { Venue } from '../protocol.ts'
import { type SettledTrade, settledVenue } from '../settled-venue.ts'
import deployments from './deployments.json' with { type: 'json' }

const TESSERA =
  'event TesseraTrade(address tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut, address recipient)'
const ELFOMO =
  'event ElfomoTrade(uint256 indexed quoteId, uint256 indexed partnerId, address executor, address receiver, address fromToken, address toToken, uint256 fromAmount, uint256 toAmount)'
const FERMI =
  'event FermiSwap(address indexed recipient, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)'
/** Bebop's event until July 2026. */
const BEBOP =
  'event Swap(address indexed sender, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 destAmount)'
/** FermiSwap's second contract and Bebop's later ones, which share an interface. */
const SWAPPED =
  'event Swapped(address indexed sender, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, address recipient)'
const NATIVE =
  'event RFQTrade(address recipient, address sellerToken, address buyerToken, uint256 sellerTokenAmount, uint256 buyerTokenAmount, bytes16 quoteId, address signer)'
/** Native's pools from version 6: an on-chain engine prices them, without a signed quote. */
const NATIVE_ENGINE =
  'event PAMMTrade(address recipient, address sellerToken, address buyerToken, uint256 sellerTokenAmount, uint256 buyerTokenAmount, bytes16 quoteId, address signer)'
const CLIPPER =
  'event Swapped(address indexed inAsset, address indexed outAsset, address indexed recipient, uint256 inAmount, uint256 outAmount, bytes auxiliaryData)'
const CLIPPER_COVE =
  'event CoveSwapped(address indexed inAsset, address indexed outAsset, address indexed recipient, uint256 inAmount, uint256 outAmount, bytes32 auxiliaryData)'

/**
 * Contracts that settle trades from a market maker's funds. Even public sources do not guarantee that the event's
 * amounts moved. Not quoted, because no event shows the next price.
 */
const marketMaker = settledVenue({
  kind: 'market-maker',
  about: {
    name: 'Tessera, ElfomoFi, FermiSwap, Bebop pAMM, Native, Clipper',
    verifiedBy: 'the configured contract is the emitter',
    notCovered: 'Clipper before March 2023; Native before version 3',
  },
  events: {
    [TESSERA]: (log) => inWords(log, { sold: 0, bought: 1, amounts: 2 }),
    [ELFOMO]: (log) => inWords(log, { sold: 2, bought: 3, amounts: 4 }),
    [FERMI]: (log) => inTopics(log, 2),
    [BEBOP]: (log) => inTopics(log, 2),
    [SWAPPED]: (log) => inTopics(log, 2),
    [NATIVE]: (log) => inWords(log, { sold: 1, bought: 2, amounts: 3 }),
    [NATIVE_ENGINE]: (log) => inWords(log, { sold: 1, bought: 2, amounts: 3 }),
    [CLIPPER]: (log) => inTopics(log, 1),
    [CLIPPER_COVE]: (log) => inTopics(log, 1),
  },
  amountsReportedBy: 'maker',
})

function inTopics({ topics, data }: Log, sold: number): SettledTrade {
  return {
    sold: addressTopic(topics, sold),
    soldAmount: uintWord(data, 0),
    bought: addressTopic(topics, sold + 1),
    boughtAmount: uintWord(data, 1),
  }
}

/** @param places word positions; the bought amount follows the sold one */
function inWords({ data }: Log, places: { sold: number; bought: number; amounts: number }): SettledTrade {
  return {
    sold: addressWord(data, places.sold),
    soldAmount: uintWord(data, places.amounts),
    bought: addressWord(data, places.bought),
    boughtAmount: uintWord(data, places.amounts + 1),
  }
}

export const venue: Venue = { protocols: [marketMaker], deployments }
