import { addressWord, uintWord } from '../../abi/words.ts'
import { coinsOf } from './exchange.ts'
import { listedVenue } from './listed-venue.ts'
import { MAVERICK_POOLS } from './maverick-v1.ts'

const SWAP =
  'event PoolSwap(address sender, address recipient, tuple(uint256 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) params, uint256 amountIn, uint256 amountOut)'

/** Maverick V2. */
export const maverickV2 = listedVenue({
  kind: 'maverick-v2',
  events: {
    [SWAP]: ({ data }) => {
      const [sold, bought] = coinsOf(uintWord(data, 3) !== 0n)
      const [soldAmount, boughtAmount] = [uintWord(data, 6), uintWord(data, 7)]
      return { sold, soldAmount, bought, boughtAmount, recipient: addressWord(data, 1) }
    },
  },
  ...MAVERICK_POOLS,
})
