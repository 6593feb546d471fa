import { contractCall } from '../../../abi/contract-call.ts'
import { addressWord, uintWord } from '../../../abi/words.ts'
import { settledVenue } from './settled-venue.ts'

const TRADE =
  'event Trade(address trader, address effectiveTrader, bytes32 txid, address baseToken, address quoteToken, uint256 baseTokenAmount, uint256 quoteTokenAmount)'
/** Of the pools before: with the pool and the fees. */
const TRADE_WITH_FEES =
  'event Trade(address pool, address trader, bytes32 txid, address baseToken, address quoteToken, uint256 baseTokenAmount, uint256 quoteTokenAmount, uint256 fees)'

/** Trades of Hashflow's makers, each from a contract of its own that the router has authorised. Base is sold for quote. */
export const hashflow = settledVenue({
  kind: 'hashflow',
  events: { [TRADE]: trade, [TRADE_WITH_FEES]: trade },
  isListed: contractCall('function authorizedPools(address pool) view returns (bool)'),
})

/** Both events begin alike. */
function trade({ data }: { data: `0x${string}` }) {
  return {
    sold: addressWord(data, 3),
    soldAmount: uintWord(data, 5),
    bought: addressWord(data, 4),
    boughtAmount: uintWord(data, 6),
  }
}
