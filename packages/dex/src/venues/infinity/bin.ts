import { topicOf } from '../../abi/contract-abi.ts'
import { intWord, uintWord, WORD } from '../../abi/words.ts'
import type { Hex, Log } from '../../chain.ts'
import type { CreatedEvent, SwapEvent, TouchEvent } from '../../pool-event.ts'
import { binsAddedAndRemoved, inManager, packedAmounts } from '../liquidity-change.ts'
import { managedPlace } from '../managed-pool.ts'
import { type BinPath, NO_REFERENCES, type Protocol } from '../protocol.ts'
import { providing } from '../touches.ts'
import { decodeProtocolFee, PROTOCOL_FEE_UPDATED } from '../uniswap-v4/manager-events.ts'
import { infinityBin } from './bin-quote.ts'
import { INFINITY_BIN_STATE } from './bin-state.ts'
import { DYNAMIC_LP_FEE_UPDATED, decodeDynamicFee, keyInLog, proveInfinityPool } from './key.ts'

const SWAP =
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 activeId, uint24 fee, uint16 protocolFee)'
const INITIALIZE =
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint24 activeId)'

const MINT =
  'event Mint(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[] amounts, bytes32 compositionFeeAmount, bytes32 feeAmountToProtocol)'
const BURN = 'event Burn(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[] amounts)'
const DONATE = 'event Donate(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 binId)'

const CHANGES: ReadonlySet<Hex> = new Set([MINT, BURN, DONATE].map(topicOf))
const SWAP_WORDS = 3
/** The word of Mint and Burn that points to the amounts, packed like those of Liquidity Book. */
const AMOUNTS = 2

export const pancakeswapInfinityBin: Protocol = {
  kind: 'pancakeswap-infinity-bin',
  about: {
    name: 'PancakeSwap Infinity Bin',
    verifiedBy: 'as Infinity CL',
    notCovered: 'as Infinity CL; quotes beyond the bins that were read',
  },
  family: 'managed',
  entry: { verifying: 'binPoolManager', others: ['vault', 'binPositionManager', 'binQuoter'], deploymentBlock: true },
  events: {
    [SWAP]: decodeSwap,
    [INITIALIZE]: decodeInitialize,
    [MINT]: (log) => decodeLiquidity(log, true),
    [BURN]: (log) => decodeLiquidity(log, false),
    [DONATE]: decodeTouch,
    [PROTOCOL_FEE_UPDATED]: decodeProtocolFee,
    [DYNAMIC_LP_FEE_UPDATED]: decodeDynamicFee,
  },
  identity: { by: 'proof', prove: (candidate, dex) => proveInfinityPool(candidate, dex, INITIALIZE, () => null) },
  state: INFINITY_BIN_STATE,
  formulas: [infinityBin],
  managed: {
    largestChange: ({ ofPool }) => (ofPool.some(({ topics: [topic = '0x'] }) => CHANGES.has(topic)) ? null : 0n),
  },
  liquidityLogs: binsAddedAndRemoved(MINT, BURN, inManager),
  binsOfSwap,
  canHooksMoveAmounts: () => false,
  ...NO_REFERENCES,
}

/** The manager reports amounts from the swapper's side (negative if paid), our events from the pool's. */
function decodeSwap(log: Log): SwapEvent {
  const amount0 = -intWord(log.data, 0)
  const amount1 = -intWord(log.data, 1)
  return { type: 'swap', ...managedPlace(log), amount0, amount1, state: null }
}

/** The event has the bin where the swap ended. Swaps that pay token0 move down to that bin, other swaps up. */
function binsOfSwap(data: Hex, before: bigint | null): BinPath {
  if (data.length < 2 + SWAP_WORDS * WORD) return { lowest: null, highest: null, last: before }
  const bin = uintWord(data, 2)
  return intWord(data, 0) < 0n
    ? { lowest: bin, highest: before, last: bin }
    : { lowest: before, highest: bin, last: bin }
}

/** Fees that a mint pays to enter the active bin are part of its amounts. */
function decodeLiquidity(log: Log, isAdded: boolean): TouchEvent {
  return providing(decodeTouch(log), isAdded, packedAmounts(log.data, AMOUNTS))
}

function decodeTouch(log: Log): TouchEvent {
  return { type: 'touch', ...managedPlace(log) }
}

function decodeInitialize(log: Log): CreatedEvent {
  return { type: 'created', ...managedPlace(log), key: keyInLog(log, () => null) }
}
