import { topicOf } from '../../abi/contract-abi.ts'
import { NO_REFERENCES, type Protocol, type Venue } from '../protocol.ts'
import { cryptoPools } from './crypto/crypto-pools.ts'
import { FACTORY_FIELDS, proveCurvePool } from './curve-proof.ts'
import { CURVE_STATE } from './curve-state.ts'
import deployments from './deployments.json' with { type: 'json' }
import { CRYPTO_EXCHANGE, CURVE_LIQUIDITY, CURVE_TOUCHES, decodeExchange } from './events.ts'
import { llamma } from './llamma.ts'
import { CURVE_STABLE } from './stable/curve-stable.ts'
import { LISTA_STABLE } from './stable/lista-stable.ts'

const STABLE_EXCHANGE =
  'event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)'
/** The ids are indices of underlying coins. */
const UNDERLYING_EXCHANGE =
  'event TokenExchangeUnderlying(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)'
const NG_EXCHANGE =
  'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought, uint256 fee, uint256 packed_price_scale)'

/**
 * StableSwap pools never take native coin in place of the wrapper: they pay exactly in the tokens of their event.
 * Crypto pools wrap or keep native coin on request.
 */
const STABLE_TOPICS = [STABLE_EXCHANGE, UNDERLYING_EXCHANGE].map(topicOf)

/** Does not read the `Exchange` event of routers, which repeats the pools' events. */
const curve: Protocol = {
  kind: 'curve',
  about: {
    name: 'Curve (StableSwap, crypto, NG), PancakeSwap StableSwap, Lista StableSwap',
    verifiedBy:
      '`get_coins(pool)` of a factory, or of a registry that `addressProvider` names; PancakeSwap, Lista: `getPairInfo` of the factory',
    notCovered: 'zaps, seen with the LP token; PancakeSwap pools that the factory replaced; quotes of some old pools',
  },
  family: 'curve',
  entry: {
    verifying: 'factory',
    others: ['addressProvider', ...FACTORY_FIELDS],
    rateProviders: true,
  },
  events: {
    [STABLE_EXCHANGE]: (log) => decodeExchange(log, 'coin'),
    [UNDERLYING_EXCHANGE]: (log) => decodeExchange(log, 'underlying'),
    [CRYPTO_EXCHANGE]: (log) => decodeExchange(log, 'coin'),
    [NG_EXCHANGE]: (log) => decodeExchange(log, 'coin'),
    ...CURVE_TOUCHES,
  },
  holdsTokens: true,
  liquidityLogs: CURVE_LIQUIDITY,
  topicsWithoutCoins: STABLE_TOPICS,
  identity: { by: 'proof', prove: proveCurvePool },
  // Crypto pools of the first factory hold native coin but report its wrapper (`use_eth` of `exchange`).
  holdsCoins: true,
  // StableSwap NG reports the argument of `exchange_received`; pools of taxed tokens report more than they receive.
  amountsReportedBy: 'caller',
  state: CURVE_STATE,
  formulas: [CURVE_STABLE, LISTA_STABLE, cryptoPools],
  ...NO_REFERENCES,
}

export const venue: Venue = { protocols: [curve, llamma], deployments }
