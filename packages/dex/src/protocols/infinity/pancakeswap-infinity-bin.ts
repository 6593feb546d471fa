import { intWord } from '../../abi/words.ts'
import type { Log } from '../../chain/block.ts'
import type { CreatedEvent, SwapEvent } from '../../pool-event.ts'
import { managedPlace } from '../managed-pool.ts'
import { NO_REFERENCES, type Protocol } from '../protocol.ts'
import { keyInLog, proveInfinityPool } from './infinity-pool.ts'

const SWAP =
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 activeId, uint24 fee, uint16 protocolFee)'
const INITIALIZE =
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint24 activeId)'

/** PancakeSwap Infinity, pools of liquidity bins. Trades only: the pools are not quoted. */
export const pancakeswapInfinityBin: Protocol = {
  kind: 'pancakeswap-infinity-bin',
  family: 'managed',
  events: { [SWAP]: decodeSwap, [INITIALIZE]: decodeInitialize },
  identity: { by: 'proof', prove: (candidate, dex) => proveInfinityPool(candidate, dex, INITIALIZE, () => null) },
  state: null,
  ...NO_REFERENCES,
}

/** The manager tells the amounts as the swapper sees them (paid: negative), an event of ours as the pool does. */
function decodeSwap(log: Log): SwapEvent {
  const [amount0, amount1] = [-intWord(log.data, 0), -intWord(log.data, 1)]
  return { type: 'swap', ...managedPlace(log), amount0, amount1, state: null }
}

function decodeInitialize(log: Log): CreatedEvent {
  return { type: 'created', ...managedPlace(log), key: keyInLog(log, () => null) }
}
