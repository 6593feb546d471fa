import { uintWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { CoinReference, ExchangeEvent } from '../../pool-event.ts'

export const CRYPTO_EXCHANGE =
  'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought)'

/** Far above Curve's limit of eight coins and eight underlying coins. */
const MAX_COIN_ID = 31n

export function decodeExchange(log: Log, by: 'coin' | 'underlying'): ExchangeEvent | null {
  const { address: pool, data, transactionIndex, logIndex } = log
  const refer = (id: bigint): CoinReference => (by === 'coin' ? { coin: Number(id) } : { underlying: Number(id) })
  const sold = uintWord(data, 0)
  const bought = uintWord(data, 2)
  // A negative int128 also reads as a huge word.
  if (sold > MAX_COIN_ID || bought > MAX_COIN_ID) return null
  return {
    type: 'exchange',
    family: 'curve',
    pool,
    transactionIndex,
    logIndex,
    sold: refer(sold),
    soldAmount: uintWord(data, 1),
    bought: refer(bought),
    boughtAmount: uintWord(data, 3),
  }
}
