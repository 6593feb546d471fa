import { hasWords, uintWord } from '../abi-words.ts'
import type { Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'
import type { CoinReference, ExchangeEvent } from '../pool-event.ts'
import { proveCurvePool } from './curve-proof.ts'
import type { Protocol } from './protocol.ts'

/** TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought) */
const STABLE_EXCHANGE: Hex = '0x8b3e96f2b889fa771c53c981b40daf005f63f637f1869f707052d15a3dd97140'
/** TokenExchangeUnderlying, arguments as above; the ids count the coins behind the pool's */
const UNDERLYING_EXCHANGE: Hex = '0xd013ca23e77a65003c2c659c5442c00c805371b7fc1ebd4c206c41d1536bd90b'
/** TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought) */
const CRYPTO_EXCHANGE: Hex = '0xb2e76ae99761dc136e598d4a629bb347eccb9532a5f8bbd72e18467c3c34cc98'
/** TokenExchange as the one before, followed by uint256 fee, uint256 packed_price_scale */
const NG_EXCHANGE: Hex = '0x143f1f8e861fbdeddd5b46e844b7d3ac7b86a122f36e8c463859ee6811b1f29c'

/** Curve knows eight coins and eight behind them; an id above this counts nothing. */
const MAX_COIN_ID = 31n

/**
 * Curve's StableSwap, crypto and NG pools, and PancakeSwap's StableSwap. Routers repeat the pools' exchanges in an
 * `Exchange` of their own, which is not read.
 */
export const curve: Protocol = {
  kind: 'curve',
  family: 'curve',
  events: {
    [STABLE_EXCHANGE]: (log) => decodeExchange(log, 4, toCoin),
    [UNDERLYING_EXCHANGE]: (log) => decodeExchange(log, 4, toUnderlying),
    [CRYPTO_EXCHANGE]: (log) => decodeExchange(log, 4, toCoin),
    [NG_EXCHANGE]: (log) => decodeExchange(log, 6, toCoin),
  },
  identity: { by: 'proof', prove: proveCurvePool },
  state: null,
  priceTopics: [],
  creation: null,
  lookupCalls: () => [],
}

function decodeExchange(log: Log, words: number, refer: (id: number) => CoinReference): ExchangeEvent | null {
  const { address: pool, data, topics, transactionIndex, logIndex } = log
  if (topics.length !== 2 || !hasWords(data, words)) return null
  const sold = uintWord(data, 0)
  const bought = uintWord(data, 2)
  // A negative int128 is a huge word, too.
  if (sold > MAX_COIN_ID || bought > MAX_COIN_ID) return null
  return {
    type: 'exchange',
    family: 'curve',
    pool,
    transactionIndex,
    logIndex,
    sold: refer(Number(sold)),
    soldAmount: uintWord(data, 1),
    bought: refer(Number(bought)),
    boughtAmount: uintWord(data, 3),
  }
}

function toCoin(coin: number): CoinReference {
  return { coin }
}

function toUnderlying(underlying: number): CoinReference {
  return { underlying }
}
