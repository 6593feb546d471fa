import { contractCall } from '../../abi/contract-abi.ts'
import { addressWord, hasWords, uintWord } from '../../abi/words.ts'
import { exchangeOf } from '../exchange.ts'
import { type CoinCall, listedVenue } from '../listed-venue.ts'
import type { Venue } from '../protocol.ts'
import deployments from './deployments.json' with { type: 'json' }
import { fluidFormula } from './quote.ts'
import { FLUID_STATE } from './state.ts'

const SWAP = 'event Swap(bool swap0to1, uint256 amountIn, uint256 amountOut, address to)'
const CONSTANTS = contractCall('function constantsView() view returns (bytes)')
const CONSTANTS_WORDS = 18
const TOKEN0_WORD = 9

const TOKENS: CoinCall = {
  data: () => CONSTANTS.data(),
  read: (answer) =>
    answer && hasWords(answer, CONSTANTS_WORDS)
      ? [addressWord(answer, TOKEN0_WORD), addressWord(answer, TOKEN0_WORD + 1)]
      : [],
}

/** Fluid's liquidity layer holds and pays the pools' tokens. */
const fluid = listedVenue({
  kind: 'fluid',
  about: {
    name: 'Fluid DEX',
    verifiedBy: '`isDex(pool)` of the factory',
    notCovered: 'quotes without a configured `resolver`',
  },
  entry: { verifying: 'factory', others: ['resolver'] },
  events: {
    [SWAP]: ({ data }) => {
      const exchange = exchangeOf(uintWord(data, 0) !== 0n, uintWord(data, 1), uintWord(data, 2))
      return { ...exchange, recipient: addressWord(data, 3) }
    },
  },
  isListed: contractCall('function isDex(address dex_) view returns (bool)'),
  coins: [TOKENS],
  state: FLUID_STATE,
  formulas: [fluidFormula],
})

export const venue: Venue = { protocols: [fluid], deployments }
